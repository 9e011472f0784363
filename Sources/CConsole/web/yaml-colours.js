// Colours the lines of a YAML text: keys, quoted texts, plain numbers and words, and comments.

const KEY = /^(\s*(?:- +)*)((?:"[^"]*"|'[^']*'|[^\s#"'{[:][^:#]*?))(:)(?=\s|$)/;
const TOKEN = /"(?:[^"\\]|\\.)*"?|'[^']*'?|(?:^|(?<=\s))#.*$|\b(?:true|false|null|\d+)\b/g;

/**
 * Splits a whole line into parts. Each has a kind: "key", "text", "value", "comment", or "" for
 * other parts.
 * @returns {[string, string][]}
 */
export function colours(line) {
  const [whole = "", indent = "", key = "", colon = ""] = KEY.exec(line) ?? [];
  /** @type {[string, string][]} */
  const parts = [["", indent], ["key", key], ["", colon]];
  const rest = line.slice(whole.length);
  let end = 0;
  for (const { 0: token, index = 0 } of rest.matchAll(TOKEN)) {
    parts.push(["", rest.slice(end, index)], [kind(token), token]);
    end = index + token.length;
  }
  parts.push(["", rest.slice(end)]);
  return parts.filter(([, text]) => text);
}

const kind = token => token[0] === "#" ? "comment" : /["']/.test(token[0]) ? "text" : "value";
