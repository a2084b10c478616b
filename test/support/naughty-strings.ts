import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** The big list of naughty strings, if it lies beside the project. */
const list = fileURLToPath(
  new URL('../../../shared/data/naughty-strings/blns.json', import.meta.url),
)

/** A few of each kind, in case the list is missing. */
const some = [
  'undefined',
  '1/0',
  '０１２３',
  '¡™£¢∞§¶•ªº–≠',
  'ЁЂЃЄЅІЇЈЉЊЋЌЍЎЏ',
  '社會科學院語學研究所',
  'הָיְתָה test',
  '\u2028\u2029',
  '\u202atest\u202a',
  'Ṱ̺̺̕o͞ ̷i̲̬͇̪͙n̝̗͕v̟̜̘̦͟o̶̙̰̠kè͚̮̺̪̹̱̤',
  '👩🏽 👨‍🦰 🏳0🌈️',
  '<script>alert(1)</script>',
  `"'\`><img src=x onerror=javascript:alert(1)>`,
  "1'; DROP TABLE users--",
  '$(touch /tmp/x) `touch /tmp/x` {0} %s%n',
  '../../../../etc/passwd%00',
  'AND OR NOT + - title:x [1 TO 2] "open (',
  'NUL CON AUX',
  '\u200b\ufeff',
  '',
] as const

if (!existsSync(list)) {
  process.stderr.write('SKIPPED: the big list of naughty strings is not there.\n')
}

/** Each of them once. */
export const naughtyStrings: ReadonlySet<string> = new Set([
  ...some,
  ...(existsSync(list) ? (JSON.parse(readFileSync(list, 'utf8')) as readonly string[]) : []),
])
