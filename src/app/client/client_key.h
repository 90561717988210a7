// The key a person signs with from the command line. Not the relay's own: that is owner_key.h.
//
//   R1  The file is the one named by --key-file, else by NGIT_CLIENT_KEY_FILE, else
//       $XDG_CONFIG_HOME/graspd/key, else ~/.config/graspd/key.
//   R2  A key is made when that is asked for, never by the way, and never over an existing file.
//   R3  The file is readable by its owner only: made so, and an existing one is changed to so, with
//       a warning.
#pragma once
#include <filesystem>
#include <map>
#include <string>

#include "core/result.h"
#include "nostr/signature.h"

namespace graspd::app {

// R1. The failure is a sentence: nothing says where to look.
core::Result<std::filesystem::path, std::string> client_key_path(
    const std::string& key_file, const std::map<std::string, std::string>& environment);

core::Result<nostr::Keypair, std::string> load_client_key(const std::filesystem::path& path);
core::Result<nostr::Keypair, std::string> make_client_key(const std::filesystem::path& path);

// The key of --key-file and the environment of this process.
core::Result<nostr::Keypair, std::string> client_key(const std::string& key_file);

}  // namespace graspd::app
