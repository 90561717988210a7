// What is to be read of a relay's history, and what was read (sync.md §6.4): the two are kept
// apart, compared, and when they do not agree, what is missing is read at once.
//
//   R1  Items are confirmed only when all requests of their batch are complete and all they brought
//       is through the intake.
//   R2  What is confirmed was read, for each of its tags and over all time, since the last fresh
//       start (Ledger). What leaves the target is not read any more: it begins anew when it
//       returns.
//   R3  A value that the relay refuses counts as read for a day, and as a gap that is shown. Then
//       it is asked for again, its history too.
//   R4  What is new waits while many batches are busy, and becomes one larger batch.
//   R5  Few filters that are likely to bring much are read at once, page by page or by
//       reconciliation. A relay that takes few requests, and filters that will bring little, are
//       swept first.
//   R6  Where filters are given that are read once (RelayMemory::once), nothing else is read.
#pragma once
#include <string>
#include <vector>

#include "sync/answer_trust.h"
#include "sync/batches.h"
#include "sync/rotation.h"
#include "sync/wires.h"

namespace graspd::sync {

// Whoever keeps the rotation is told what a turn read.
class TurnKeeper {
 public:
  virtual ~TurnKeeper() = default;
  virtual void turn_ended(core::Now now, core::UnixSeconds started, const ReadValues& read) = 0;
};

class Books {
 public:
  Books(PeerContext& peer, Wires& wires, Batches& batches, AnswerTrust& trust, TurnKeeper& turns,
        core::Now now);

  // ---- what is to be read
  void forget_all(core::Now now);  // what was read, and what is being read
  void start_fresh(core::Now now, Source source);
  void start_quick(core::Now now);
  void plan_work(core::Now now);                      // everything that is wanted
  void plan_work(core::Now now, const Items& grown);  // what came to it, and what waits (R4)
  void keep_target(core::Now now);                    // R2
  void read_gap(core::Now now, const Group& slices, Window window);
  void read_turn(core::Now now, const RotationTurn& turn);
  void drop(std::uint32_t batch);

  // ---- how jobs end
  void job_done(core::Now now, JobKey key);
  void job_stuck(core::Now now, JobKey key, const std::string& why);
  void check_batch(core::Now now, std::uint32_t id);
  Job::Method method_for(const Window& window, core::Now now) const;

  // ---- R3
  void park(core::Now now, FilterClass filter_class, std::uint32_t id);
  bool unpark(core::Now now);            // true when some time is over
  bool release(const Excluded& values);  // true when there were some

  bool adds_up() const;  // R2
  // Why all or some of it is read again: the books did not add up. Empty: they do.
  std::string rereading() const;
  bool is_syncing(core::Now now) const;
  void check() const;

 private:
  void begin(core::Now now, Batch batch);
  Batch batch_of_given(core::Now now) const;  // R6
  Batch make_batch(core::Now now, Batch::Kind kind, Source source, Items items, Window window,
                   bool sweep_first);
  void add_jobs(Batch& batch, const std::vector<Slice>& slices, Window window, bool sweep_first,
                core::Now now);
  Ledger debts_of(Batch::Kind kind, const Items& items, Window window) const;
  void complete(core::Now now, std::uint32_t id);
  void history_complete(core::Now now);
  void read_rest(core::Now now, std::uint32_t id);  // of a batch whose jobs are all done
  void mend(core::Now now);
  void set_unpark_time();
  bool is_grasp() const { return is_grasp_server(memory_.information); }
  const Items& target() const { return context_.targets.of(memory_.id); }

  SessionContext& context_;
  RelayMemory& memory_;
  const Budget& budget_;
  Wires& wires_;
  Batches& batches_;
  AnswerTrust& trust_;
  TurnKeeper& turns_;
  core::Instant last_new_work_;
  bool more_work_ = false;
};

}  // namespace graspd::sync
