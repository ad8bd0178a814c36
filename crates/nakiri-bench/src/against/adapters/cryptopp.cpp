#include "against.h"

#include <crypto++/aes.h>
#include <crypto++/chacha.h>
#include <crypto++/des.h>
#include <crypto++/modes.h>
#include <crypto++/serpent.h>
#include <memory>
#include <string>

namespace {

using CryptoPP::SymmetricCipher;

/* What is to be done before a message: nothing in ECB, setting the counter in CTR, and seeking in ChaCha20. */
enum class Start { nothing, counter, seek };

struct Cipher {
    std::unique_ptr<SymmetricCipher> cipher;
    Start start;
};

template <class Block> Cipher block(bool ctr)
{
    using Ctr = typename CryptoPP::CTR_Mode<Block>::Encryption;
    using Ecb = typename CryptoPP::ECB_Mode<Block>::Encryption;
    if (ctr)
        return {std::make_unique<Ctr>(), Start::counter};
    return {std::make_unique<Ecb>(), Start::nothing};
}

Cipher find(const std::string &algorithm, bool ctr)
{
    if (algorithm == "AES")
        return block<CryptoPP::AES>(ctr);
    if (algorithm == "DES")
        return block<CryptoPP::DES>(ctr);
    if (algorithm == "Serpent")
        return block<CryptoPP::Serpent>(ctr);
    if (algorithm == "ChaChaTLS")
        return {std::make_unique<CryptoPP::ChaChaTLS::Encryption>(), Start::seek};
    return {nullptr, Start::nothing};
}

} // namespace

const char *against_version(void)
{
    static const int version = CryptoPP::LibraryVersion();
    static const std::string text = std::to_string(version / 100) + "." + std::to_string(version / 10 % 10) + "."
                                    + std::to_string(version % 10);
    return text.c_str();
}

const char *against_features(void)
{
    return "";
}

void *against_new(const char *algorithm, const char *mode, const uint8_t *key, size_t key_bytes)
try {
    auto found = std::make_unique<Cipher>(find(algorithm, std::strcmp(mode, "ctr") == 0));
    if (!found->cipher)
        return nullptr;
    const uint8_t zeros[16] = {};
    if (found->start == Start::nothing)
        found->cipher->SetKey(key, key_bytes);
    else
        found->cipher->SetKeyWithIV(key, key_bytes, zeros, found->cipher->IVSize());
    return found.release();
} catch (const std::exception &) {
    return nullptr;
}

int against_run(void *state, const uint8_t *counter, uint8_t *out, const uint8_t *in, size_t bytes)
try {
    auto &found = *static_cast<Cipher *>(state);
    if (found.start == Start::counter)
        found.cipher->Resynchronize(counter);
    if (found.start == Start::seek) {
        uint64_t first = counter[0] | counter[1] << 8 | counter[2] << 16 | uint64_t(counter[3]) << 24;
        found.cipher->Resynchronize(counter + 4);
        found.cipher->Seek(64 * first);
    }
    found.cipher->ProcessData(out, in, bytes);
    return 0;
} catch (const std::exception &) {
    return 1;
}

void against_free(void *cipher)
{
    delete static_cast<Cipher *>(cipher);
}
