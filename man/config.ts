import { configKeys, environmentKeys } from '../daemon/config/keys.ts'
import { endpointManual } from '../daemon/config/endpoint-options.ts'

/** The page `deposit-config(5)` in Markdown: every key of the one table, with default and effect. */
export function configManual(): string {
  return [
    head,
    '## KEYS\n',
    ...Object.entries(configKeys).map(([name, { shown, effect }]) => entry(name, shown, effect)),
    '## ENDPOINTS\n',
    endpoints,
    ...Object.entries(endpointManual).map(([name, [preset, effect]]) =>
      entry(name, preset, effect),
    ),
    '## ENVIRONMENT\n',
    ...Object.entries(environmentKeys).map(([name, effect]) => `**${name}**\n: ${effect}\n`),
    extensions,
  ].join('\n')
}

function entry(name: string, preset: string, effect: string): string {
  return `**${name}**\n: ${effect} Default: ${preset}.\n`
}

const head = `# DEPOSIT-CONFIG(5)

## NAME

deposit-config - configuration of the deposit service

## DESCRIPTION

**depositd** reads its keys from the environment and from one configuration file; a key of the
environment wins. In the environment texts, numbers and flags stand as they are, everything else as
JSON. A number of bytes may be written as a size: \`20GB\` (1000 bytes a kB) or \`500MiB\` (1024 bytes a
KiB), in both. The file is \`deposit.config.json\`, \`.js\` or \`.ts\` in \`DEPOSIT_HOME\`, or the one that
\`DEPOSIT_CONFIG\` names; a program has the keys in the object that it exports by default.

Everything is checked at the start, and by \`depositd config check\`, which asks the database and the
bucket as well whether they answer. Each fault is a line that names the key, and the program ends with
status 78, or 69 where all that is wrong is a server that does not answer. A key of the file that there is not is such an error; a variable of the
environment that begins with \`DEPOSIT_\` and means nothing is a warning in the log.

JSON Schemas in \`DEPOSIT_HOME/schemas\` are served under \`/schemas/\` beside those of the package. A
deposit schema lies below \`DEPOSIT_JSONSCHEMAS_PREFIX\`; its record schema has the same path without
it. The field \`recommended\` of a schema names what a record should have: the rehearsal of publishing
warns of what is missing.
`

const endpoints = `\`DEPOSIT_REST_ENDPOINTS\` has the options of each endpoint by its name. The endpoint \`depid\` is always
there; each further one is a kind of deposits of its own:

    {"lab": {"default_jsonschema": "deposits/lab-v1.json", "jsonschemas": ["deposits/lab-v1.json"]}}

Its deposits lie below \`/api/lab\`, their pages below \`/deposit/lab\`. They are found, read and changed
there alone: under another endpoint the answer is 404, and no search finds them. Links, also those of
records, lead to the endpoint of the deposit. \`/api\` lists all endpoints with their addresses.

A deposit keeps the type of its identifier, \`pid_type\`, for good; by it the service knows the endpoint.
The daemon does not start while it has deposits of a type that no endpoint has. An endpoint may be
renamed where its \`pid_type\` stays.

Routes are written with \`{pid_value}\` or \`<pid_value>\`, and \`{key}\` or \`<path:key>\`. The options:
`

const extensions = `## EXTENSIONS

A configuration file that is a program may add to the service. It imports what it needs from
\`depositd/config\`, wherever it lies:

**actions**
: Further actions by name: \`{ summary, run(deposit, context) }\`. Each has its route, its link, its
  entry in the API document and its signal. \`run\` answers the deposit as it is to be saved; what it
  throws leaves all as it was. It may use rows by \`context.unit\` and must not wait for anything else.

**signals**
: Lists of receivers: \`postAction\`, told \`{action, pid, deposit}\` after an action was committed;
  \`beforeRecordUpdate\` and \`afterRecordUpdate\`, told \`{action, deposit}\` around edit and discard.
  Each gets the sender as well, which is the application: \`{name, url}\`. A receiver that fails is logged; it undoes nothing. See \`DEPOSIT_REGISTER_SIGNALS\`.

**minters**
: Further minters by name, for \`DEPOSIT_PID_MINTER\` to name: \`{ mint() }\` answers the value of a new
  record's identifier, of letters, digits, \`.\`, \`_\`, \`~\` and \`-\`. It must not wait for anything, and no
  two of its values may be the same. The type of the identifier stays \`recid\`.

**permissions**
: \`scopePermission(check, …scopes)\`, \`writeScopePermission(check)\` and
  \`indexedWriteScopePermission(check)\` make what the \`…_permission_factory_imp\` options take, of a
  check over a user and a deposit. Administrators pass every check; scopes they need as well.

**serializers**
: A function from the JSON of an answer to a text, by media type; \`"json"\` stands for the JSON itself.

\`examples/configuration/deposit.config.ts\` is a whole one.

## IDENTIFIERS

The status of a persistent identifier (\`depositd pid show\`) says what its readers get: \`K\` reserved and
\`R\` registered can be read; \`M\` moved answers 301 with the address of the other; \`D\` deleted answers
410; \`N\` new is not given out yet and answers 404. A record whose identifier is \`R\` is sealed.

## SEE ALSO

depositd(1), deposit(1)
`
