/**
 * The elements of a JSON array of objects, one after another, as texts: files of a gigabyte are read
 * with the memory of one element.
 *
 * @throws {SyntaxError} the text is no array of objects, or it ends early
 */
export async function* jsonElements(chunks: AsyncIterable<string>): AsyncGenerator<string> {
  let [depth, isText, isEscaped, isArray] = [0, false, false, false]
  let kept = ''
  for await (const chunk of chunks) {
    let start = depth > 1 ? 0 : -1
    for (let at = 0; at < chunk.length; at += 1) {
      const character = chunk[at] ?? ''
      if (isText) {
        if (isEscaped) isEscaped = false
        else if (character === '\\') isEscaped = true
        else if (character === '"') isText = false
      } else if (character === '"') {
        if (depth < 2) throw new SyntaxError('it is no JSON array of objects')
        isText = true
      } else if (character === '{' || character === '[') {
        if (depth === 0 && character !== '[') throw new SyntaxError('it is no JSON array')
        isArray = true
        depth += 1
        if (depth === 2) start = at
      } else if (character === '}' || character === ']') {
        depth -= 1
        if (depth === 1) {
          yield kept + chunk.slice(start, at + 1)
          kept = ''
          start = -1
        }
      } else if (depth < 2 && !/[\s,\ufeff]/.test(character)) {
        throw new SyntaxError('it is no JSON array of objects')
      }
    }
    if (start !== -1) kept += chunk.slice(start)
  }
  if (!isArray || depth !== 0) throw new SyntaxError('it ends in the middle')
}
