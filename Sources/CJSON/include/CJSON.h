#ifndef CJSON_H
#define CJSON_H

#include <stddef.h>
#include <stdint.h>

/// The reason why a document was rejected, or `CJSONStatusAccepted`.
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

/// The result of the last accepted parse; valid until the next parse or the parser's end.
///
/// `words` has simdjson's layout: one 64-bit word per value, with the value's kind in the top byte
/// and a payload in the lower 56 bits. Word 0 is the root mark, so the document's value is at word
/// 1.
///   `[` `{`   bits 0-31 the index after the closing word, 32-55 the count of members (saturated)
///   `"`       the offset in `strings`, where a 32-bit length in host order precedes the bytes
///   `l` `u` `d`  the next word is the signed, unsigned or floating-point number
///   `t` `f` `n`  no payload
/// Each member of an object is a string word, followed by the value.
typedef struct CJSONTape {
  const uint64_t *_Nullable words;
  const uint8_t *_Nullable strings;
} CJSONTape;

/// The offsets of the last document's tokens: brackets, colons, commas, and the first bytes of
/// strings, numbers and literals. Empty if the document was rejected before tokenizing.
typedef struct CJSONTokens {
  const uint32_t *_Nullable offsets;
  size_t count;
} CJSONTokens;

#ifdef __cplusplus
extern "C" {
#endif

/// A parser with its buffers, for one thread at a time. It reallocates the buffers only for a
/// document that is longer than all previous ones.
typedef struct CJSONParser CJSONParser;

/// Creates a parser that rejects arrays and objects nested deeper than `maximum_depth`; returns
/// NULL if there is not enough memory.
CJSONParser *_Nullable cjson_parser_create(size_t maximum_depth);

void cjson_parser_destroy(CJSONParser *_Nullable parser);

/// Parses `count` bytes, which are copied and need no padding. O(count).
CJSONStatus cjson_parser_parse(
    CJSONParser *_Nonnull parser, const void *_Nullable bytes, size_t count,
    CJSONTape *_Nonnull tape);

/// Returns the tokens of the last document, even if they were the reason for its rejection.
CJSONTokens cjson_parser_tokens(const CJSONParser *_Nonnull parser);

#ifdef __cplusplus
}
#endif

#endif
