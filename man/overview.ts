import { outline } from '../cli/program/outline.ts'
import { topics } from '../cli/program/topics.ts'
import { advice } from '../cli/advice.ts'
import { exitCodeOf, exitCodes, ownCodes } from '../cli/exit-codes.ts'
import { Failure } from '../cli/failure.ts'
import { toErrorBody } from '../cli/output/report.ts'
import { errorCodes, problems } from '../core/contract/problems.ts'
import { header, item, paragraph, section, verbatim } from './roff.ts'

/** `deposit(1)`: the commands, and their common rules. */
export function overviewPage(): string {
  const groups = Map.groupBy(outline, ({ group }) => group)
  return [
    header('deposit', '1'),
    section('NAME'),
    paragraph('deposit - keep drafts of records with their files, and publish them'),
    section('SYNOPSIS'),
    paragraph('**deposit** *command* [*options*] [*arguments*]'),
    section('DESCRIPTION'),
    paragraph(
      'The command line of the deposit service. It talks to the daemon that **DEPOSIT_URL** names; ' +
        'without it, to a daemon of your own on this machine, which it starts when it is needed and ' +
        'signs in to by itself. Results go to standard output, everything else to standard error.',
    ),
    paragraph(
      '**deposit help** *command* explains a command, and **deposit help** *topic* shows a page of this ' +
        `manual: ${topics.map(({ name }) => `**${name}**`).join(', ')}.`,
    ),
    ...[...groups].flatMap(([group, entries]) => [
      section(group.replace(':', '').toUpperCase()),
      ...entries.map(({ name, summary }) => item(`**deposit-${name}**(1)`, summary)),
    ]),
    section('ENVIRONMENT'),
    ...Object.entries(environment).map(([name, effect]) => item(`**${name}**`, effect)),
    section('PROGRESS AS JSON'),
    paragraph(
      'With **--progress json**, which the commands that transfer files take, each line of standard ' +
        'error is a JSON object. Its *event* says what it is; further ones may be added.',
    ),
    ...Object.entries(events).map(([name, content]) => item(`**${name}**`, content)),
    section('FILES'),
    ...Object.entries(files).map(([name, content]) => item(`**${name}**`, content)),
    section('EXIT STATUS'),
    paragraph('0 on success; the others are in **deposit-exit**(7).'),
    section('SEE ALSO'),
    paragraph(topics.map(({ page, section: of }) => `**${page}**(${of})`).join(', ')),
  ].join('')
}

const events = {
  progress:
    'At the beginning, every second and at the end: *action* (uploading, downloading or verifying), *files*, ' +
    '*files_total*, *bytes* and *bytes_total*. *bytes* decreases if a file is sent again.',
  row: 'A row of a batch is done: the fields are those of **deposit batch --json**.',
  note: 'A line for a person: *message*.',
  error: 'The command failed: *error* is described in **deposit-exit**(7).',
}

const environment = {
  DEPOSIT_URL: 'Address of the daemon: https://HOST, or http://127.0.0.1:PORT.',
  DEPOSIT_ENDPOINT:
    'Name of the endpoint of the daemon whose deposits commands work with; **--endpoint** wins. ' +
    'Without it that is `depid`.',
  DEPOSIT_TOKEN: 'Access token; wins over a stored sign-in, and is stored nowhere.',
  DEPOSIT_HOME: 'Folder of the local daemon. The default is the data folder of the platform.',
  'VISUAL, EDITOR':
    'Command line of the editor for **deposit edit --open** and **deposit merge --edit**.',
  DEPOSIT_REMOTE_NAME_TOKEN:
    'Token of the remote NAME, see **deposit-remotes**(7); wins over the stored one.',
  NO_COLOR: 'No colour where it is set and not empty.',
  NODE_DISABLE_COMPILE_CACHE:
    'Set to 1, nothing that Node.js compiles of the commands is kept for the next one. It is kept in ' +
    '*compiled*, in the cache folder of the platform, if nobody else may write there; it may be ' +
    'removed at any time.',
}

const files = {
  '.deposit.json':
    'In a folder, the server, the id of its deposit and the identifier of its concept, which all ' +
    'versions have in common; written by **deposit create**, ' +
    '**deposit release** and **deposit newversion**. It is never uploaded, holds no secret and may ' +
    'be committed to git; remove it to let the folder forget its deposit. No request goes to the ' +
    'server that it names: only **DEPOSIT_URL** says where commands go.',
  '.depositignore': 'In a folder, patterns as in .gitignore of names that are left out.',
}

/** `deposit-exit(7)`: the exit statuses for scripts. */
export function exitPage(): string {
  return [
    header('deposit-exit', '7'),
    section('NAME'),
    paragraph('deposit-exit - exit statuses of deposit'),
    section('DESCRIPTION'),
    paragraph('These numbers never change. **depositd**(8) ends with those of sysexits.h.'),
    ...Object.entries(exitCodes).map(([name, status]) =>
      item(`**${status}**`, meanings[name] ?? ''),
    ),
    section('ERRORS AS JSON'),
    paragraph(
      'With **--json** a command that fails prints {"error": {"code", "message", "status", "errors", ' +
        '"request_id", "next"}} on standard output, and ends with the same exit status. *code* is ' +
        'stable, *status* the HTTP status of the answer. **errors** lists faults, each with *field* ' +
        'and *message*; a conflict also has *base*, *ours* and *theirs*. *next* is the next step. ' +
        'The same codes are those of a DepositError in **deposit-client**(3).',
    ),
    paragraph(
      'For example, **deposit show 4f2a91 --json** of a deposit that does not exist prints',
    ),
    verbatim(JSON.stringify({ error: toErrorBody(exampleFailure()) }, null, 2).split('\n')),
    paragraph(
      'and ends with status 3. The command line itself gives these, with a *status* of null:',
    ),
    ...Object.entries(ownCodes).map(([status, code]) =>
      item(`**${code}**`, `Exit status ${status}.`),
    ),
    paragraph(
      'The service answers these. An answer of another program, such as a proxy, is http_ with its ' +
        'status, for example http_502.',
    ),
    ...errorCodes.map((code) => {
      const { status, message } = problems[code]
      const exit = exitCodeOf({ code, status })
      return item(`**${code}**`, `Exit status ${exit}, HTTP status ${status}. ${message}`)
    }),
    section('SEE ALSO'),
    paragraph('**deposit**(1), **deposit-client**(3), **depositd**(8)'),
  ].join('')
}

function exampleFailure(): Failure {
  const problem = { code: 'deposit_not_found', message: problems.deposit_not_found.message }
  return new Failure(
    { tried: 'show 4f2a91', said: problem.message, next: advice.findDeposit() },
    {
      exitCode: exitCodes.notFound,
      problem: {
        ...problem,
        status: problems.deposit_not_found.status,
        request_id: 'req-1',
        errors: [],
      },
    },
  )
}

const meanings: Readonly<Record<string, string>> = {
  done: 'Success.',
  failed:
    'Any failure that is not listed below, such as metadata that are invalid, incomplete or ' +
    'embargoed. The lines on standard error say what failed, why, and what to do next. The status is ' +
    'the same whether the command line, the daemon or **--dry-run** found it.',
  usage:
    'The command line or a query is wrong, or a file that it names cannot be used. Nothing was changed.',
  notFound: 'There is no such deposit or file, or it was deleted.',
  signInFirst:
    'You are not signed in, or the sign-in or token does not allow this: see **deposit-login**(1).',
  refused:
    'Refused: the state of the deposit does not allow it, or another change is in conflict with it.',
  unreachable: 'The daemon cannot be reached, or another program answers in its place.',
  someFailed: 'Some rows of a batch failed; the report says which.',
  differences:
    'There are differences: **--exit-code** was given, or **deposit verify** found them.',
  interrupted:
    'It was interrupted with Ctrl-C. Ended by SIGTERM it is 143, and by SIGHUP 129, with the same messages.',
} satisfies Record<keyof typeof exitCodes, string>
