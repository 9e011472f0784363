#ifndef CJSON_H
#define CJSON_H

#include <stddef.h>
#include <stdint.h>

/// Why a document was refused; `CJSONStatusAccepted` when it was not.
typedef enum __attribute__((enum_extensibility(closed))) CJSONStatus : int32_t {
  CJSONStatusAccepted = 0,
  CJSONStatusOutOfMemory,
  CJSONStatusTooLong,
  CJSONStatusTooDeep,
  CJSONStatusEmpty,
  CJSONStatusInvalidUTF8,
  CJSONStatusControlCharacter,
  CJSONStatusUnclosedString,
  CJSONStatusBadString,
  CJSONStatusBadLiteral,
  CJSONStatusBadNumber,
  CJSONStatusBadStructure,
} CJSONStatus;

/// What the last accepted parse left behind; valid until the parser parses again or goes.
///
/// `tape` has simdjson's layout: one 64-bit word a value, its kind in the top byte and a payload
/// in the lower 56 bits. Word 0 is the root mark, so the document's value is at word 1.
///   `[` `{`   bits 0-31 the index after the closing word, 32-55 the count of members (saturated)
///   `"`       where in `strings` the string is: a 32-bit length in host order, then the bytes
///   `l` `u` `d`  the next word holds the signed, unsigned or floating-point number
///   `t` `f` `n`  nothing more
/// An object's members are a string word and then the value.
typedef struct CJSONTape {
  const uint64_t *_Nullable words;
  const uint8_t *_Nullable strings;
} CJSONTape;

/// Where the tokens of the last document start: each bracket, colon, comma, and each first byte
/// of a string, number or literal. Empty when the document did not get as far as that.
typedef struct CJSONTokens {
  const uint32_t *_Nullable offsets;
  size_t count;
} CJSONTokens;

#ifdef __cplusplus
extern "C" {
#endif

/// A parser with its buffers, to be used by one thread at a time. Kept between documents, it
/// allocates only for a document longer than all before.
typedef struct CJSONParser CJSONParser;

/// A new parser that refuses arrays and objects nested deeper than `maximum_depth`, or NULL when
/// memory is short.
CJSONParser *_Nullable cjson_parser_create(size_t maximum_depth);

void cjson_parser_destroy(CJSONParser *_Nullable parser);

/// Parses `count` bytes, which are copied and need no padding. O(count).
CJSONStatus cjson_parser_parse(
    CJSONParser *_Nonnull parser, const void *_Nullable bytes, size_t count,
    CJSONTape *_Nonnull tape);

/// The tokens of the document parsed last, also when it was refused for what its tokens say.
CJSONTokens cjson_parser_tokens(const CJSONParser *_Nonnull parser);

#ifdef __cplusplus
}
#endif

#endif
