#include "against.h"

#include <botan/block_cipher.h>
#include <botan/cpuid.h>
#include <botan/stream_cipher.h>
#include <botan/version.h>
#include <memory>
#include <sstream>
#include <string>

namespace {

struct Cipher {
    std::unique_ptr<Botan::BlockCipher> block;
    std::unique_ptr<Botan::StreamCipher> stream;
    size_t counter_bytes;
};

/* Botan 3 reads this variable by itself; Botan 2 only has the means to do it. */
void initialize()
{
    static bool done;
    const char *names = std::getenv("BOTAN_CLEAR_CPUID");
    if (done || !names)
        return;
    done = true;
    std::istringstream list(names);
    for (std::string name; std::getline(list, name, ',');)
        for (auto bit : Botan::CPUID::bit_from_string(name))
            Botan::CPUID::clear_cpuid_bit(bit);
}

bool is_chacha(const std::string &algorithm)
{
    return algorithm == "ChaCha(20)";
}

/* ChaCha20's nonce follows the counter, which is given by seeking. */
void start_chacha(Botan::StreamCipher &stream, const uint8_t *counter)
{
    uint64_t first = counter[0] | counter[1] << 8 | counter[2] << 16 | uint64_t(counter[3]) << 24;
    stream.set_iv(counter + 4, 12);
    if (first != 0)
        stream.seek(64 * first);
}

} // namespace

const char *against_version(void)
{
    return Botan::short_version_cstr();
}

const char *against_features(void)
{
    static std::string features;
    initialize();
    features = Botan::CPUID::to_string();
    return features.c_str();
}

void *against_new(const char *algorithm, const char *mode, const uint8_t *key, size_t key_bytes)
try {
    initialize();
    auto cipher = std::make_unique<Cipher>();
    std::string name = algorithm;
    if (is_chacha(name)) {
        cipher->stream = Botan::StreamCipher::create_or_throw(name);
        cipher->stream->set_key(key, key_bytes);
        return cipher.release();
    }
    cipher->block = Botan::BlockCipher::create_or_throw(name);
    if (std::strcmp(mode, "ctr") == 0) {
        cipher->counter_bytes = cipher->block->block_size();
        cipher->block.reset();
        cipher->stream = Botan::StreamCipher::create_or_throw("CTR-BE(" + name + ")");
        cipher->stream->set_key(key, key_bytes);
    } else {
        cipher->block->set_key(key, key_bytes);
    }
    return cipher.release();
} catch (const std::exception &) {
    return nullptr;
}

int against_run(void *state, const uint8_t *counter, uint8_t *out, const uint8_t *in, size_t bytes)
try {
    auto &cipher = *static_cast<Cipher *>(state);
    if (cipher.block) {
        cipher.block->encrypt_n(in, out, bytes / cipher.block->block_size());
        return 0;
    }
    if (cipher.counter_bytes)
        cipher.stream->set_iv(counter, cipher.counter_bytes);
    else
        start_chacha(*cipher.stream, counter);
    cipher.stream->cipher(in, out, bytes);
    return 0;
} catch (const std::exception &) {
    return 1;
}

void against_free(void *cipher)
{
    delete static_cast<Cipher *>(cipher);
}
