#include "CJSON.h"

#include <cstdlib>
#include <cstring>
#include <new>

#include <simdjson.h>

struct CJSONParser {
  simdjson::dom::parser parser;
  uint8_t *padded = nullptr;
  size_t capacity = 0;
  bool has_tokens = false;

  ~CJSONParser() { std::free(padded); }
};

namespace {

constexpr size_t smallest_capacity = 4096;

CJSONStatus status_of(simdjson::error_code code) noexcept {
  switch (code) {
  case simdjson::SUCCESS: return CJSONStatusAccepted;
  case simdjson::MEMALLOC: return CJSONStatusOutOfMemory;
  case simdjson::CAPACITY: return CJSONStatusTooLong;
  case simdjson::DEPTH_ERROR: return CJSONStatusTooDeep;
  case simdjson::EMPTY: return CJSONStatusEmpty;
  case simdjson::UTF8_ERROR: return CJSONStatusInvalidUTF8;
  case simdjson::UNESCAPED_CHARS: return CJSONStatusControlCharacter;
  case simdjson::UNCLOSED_STRING: return CJSONStatusUnclosedString;
  case simdjson::STRING_ERROR: return CJSONStatusBadString;
  case simdjson::T_ATOM_ERROR:
  case simdjson::F_ATOM_ERROR:
  case simdjson::N_ATOM_ERROR: return CJSONStatusBadLiteral;
  case simdjson::NUMBER_ERROR:
  case simdjson::NUMBER_OUT_OF_RANGE: return CJSONStatusBadNumber;
  default: return CJSONStatusBadStructure;
  }
}

/// Whether simdjson's first stage, which finds the tokens, has succeeded if parsing ends with this
/// status.
bool has_tokens_after(CJSONStatus status) noexcept {
  switch (status) {
  case CJSONStatusAccepted:
  case CJSONStatusTooDeep:
  case CJSONStatusBadString:
  case CJSONStatusBadLiteral:
  case CJSONStatusBadNumber:
  case CJSONStatusBadStructure: return true;
  default: return false;
  }
}

/// Allocates memory for a document of `count` bytes and the padding that simdjson reads.
bool reserve(CJSONParser &parser, size_t count) noexcept {
  if (parser.capacity >= count && parser.padded) return true;
  size_t wanted = parser.capacity ? parser.capacity : smallest_capacity;
  while (wanted < count) wanted *= 2;
  auto *padded =
      static_cast<uint8_t *>(std::realloc(parser.padded, wanted + simdjson::SIMDJSON_PADDING));
  if (!padded) return false;
  parser.padded = padded;
  parser.capacity = wanted;
  return parser.parser.allocate(wanted, parser.parser.max_depth()) == simdjson::SUCCESS
      && parser.parser.doc.allocate(wanted) == simdjson::SUCCESS;
}

} // namespace

CJSONParser *cjson_parser_create(size_t maximum_depth) {
  auto *parser = new (std::nothrow) CJSONParser;
  if (!parser) return nullptr;
  // simdjson rejects the level whose depth equals its limit.
  if (parser->parser.allocate(smallest_capacity, maximum_depth + 1) != simdjson::SUCCESS) {
    delete parser;
    return nullptr;
  }
  return parser;
}

void cjson_parser_destroy(CJSONParser *parser) { delete parser; }

CJSONStatus cjson_parser_parse(
    CJSONParser *parser, const void *bytes, size_t count, CJSONTape *tape) {
  parser->has_tokens = false;
  if (count > simdjson::SIMDJSON_MAXSIZE_BYTES) return CJSONStatusTooLong;
  if (!reserve(*parser, count)) return CJSONStatusOutOfMemory;
  if (count) std::memcpy(parser->padded, bytes, count);
  std::memset(parser->padded + count, 0, simdjson::SIMDJSON_PADDING);
  const auto status = status_of(parser->parser.parse(parser->padded, count, false).error());
  parser->has_tokens = has_tokens_after(status);
  if (status != CJSONStatusAccepted) return status;
  tape->words = parser->parser.doc.tape.get();
  tape->strings = parser->parser.doc.string_buf.get();
  return CJSONStatusAccepted;
}

CJSONTokens cjson_parser_tokens(const CJSONParser *parser) {
  if (!parser->has_tokens) return {nullptr, 0};
  const auto &implementation = *parser->parser.implementation;
  return {implementation.structural_indexes.get(), implementation.n_structural_indexes};
}
