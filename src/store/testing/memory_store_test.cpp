#include "store/testing/memory_store.h"

#include "store/testing/contract_suite.h"

namespace graspd::store::testing {
namespace memory_store_test {

std::unique_ptr<EventStore> make() { return std::make_unique<MemoryStore>(); }

INSTANTIATE_TEST_SUITE_P(Memory, StoreContract, ::testing::Values(Backend{"Memory", make, 1}),
                         name_of);

}  // namespace memory_store_test
}  // namespace graspd::store::testing
