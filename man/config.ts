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
environment wins. In the environment, texts, numbers and flags are written plainly, everything else
as JSON. A number of bytes may be written as a size: \`20GB\` (1000 bytes a kB) or \`500MiB\` (1024
bytes a KiB), in both. The file is \`deposit.config.json\`, \`.js\` or \`.ts\` in \`DEPOSIT_HOME\`, or
the one in \`DEPOSIT_CONFIG\`; a program has the keys in the object of its default export.

Everything is checked at the start, and by \`depositd config check\`, which also asks the database
and the bucket whether they answer. Each fault is a line that names the key, and the program ends
with status 78, or 69 if the only fault is a server that does not answer. An unknown key in the file
is an error; an unknown environment variable that begins with \`DEPOSIT_\` is a warning in the log.

JSON Schemas in \`DEPOSIT_HOME/schemas\` are served under \`/schemas/\` beside those of the package.
A deposit schema is below \`DEPOSIT_JSONSCHEMAS_PREFIX\`; its record schema has the same path
without it. The field \`recommended\` of a schema lists recommended fields: the rehearsal of
publishing warns of missing ones.
`

const endpoints = `\`DEPOSIT_REST_ENDPOINTS\` has the options of each endpoint by its name. The endpoint \`depid\` always
exists; each further one is a separate kind of deposits:

    {"lab": {"default_jsonschema": "deposits/lab-v1.json", "jsonschemas": ["deposits/lab-v1.json"]}}

Its deposits are below \`/api/lab\`, their pages below \`/deposit/lab\`. They are found, read and
changed only there: under another endpoint the answer is 404, and no search finds them. Links, also
those of records, lead to the endpoint of the deposit. \`/api\` lists all endpoints with their addresses.

A deposit keeps the type of its identifier, \`pid_type\`, permanently; it determines the endpoint.
The daemon does not start with deposits of a type that no endpoint has. An endpoint may be renamed
if its \`pid_type\` stays.

Routes are written with \`{pid_value}\` or \`<pid_value>\`, and \`{key}\` or \`<path:key>\`. The
options:
`

const extensions = `## EXTENSIONS

A configuration file that is a program may extend the service. It can import from
\`depositd/config\`, wherever the file is:

**actions**
: Further actions by name: \`{ summary, run(deposit, context) }\`. Each has its route, its link, its
  entry in the API document and its signal. \`run\` returns the deposit to save; an exception
  changes nothing. It may use rows by \`context.unit\` and must not wait for anything else.

**signals**
: Lists of receivers: \`postAction\`, called with \`{action, pid, deposit}\` after an action was
  committed; \`beforeRecordUpdate\` and \`afterRecordUpdate\`, called with \`{action, deposit}\`
  around edit and discard. Each also gets the sender, which is the application: \`{name, url}\`. A
  failed receiver is logged and undoes nothing. See \`DEPOSIT_REGISTER_SIGNALS\`.

**minters**
: Further minters by name, for \`DEPOSIT_PID_MINTER\` to name: \`{ mint() }\` returns the value of an
  identifier, for a record or for all its versions together, of letters, digits, \`.\`, \`_\`, \`~\` and \`-\`. It must be synchronous,
  and never return the same value twice. The type of the identifier stays \`recid\`.

**providers**
: Services that register further identifiers, by name, for \`DEPOSIT_PID_MINTER\` to name:
  \`{ scheme?, reserve(value), toUrl?(identifier), want(wanted, signal), check?(identifier, wanted,
  signal) }\`. \`reserve\` makes the identifier of a record from the value of its own, always the
  same, and asks nobody. \`want\` brings \`{ identifier, target, description? }\` to the service,
  where the record is no longer public without a description, and returns \`{ is: 'done' }\`,
  \`{ is: 'refused', message, field? }\`, \`{ is: 'locked', message }\` where the service takes no
  request of ours, or \`{ is: 'later', message }\`. It is called until it is done, with longer and longer
  pauses, perhaps twice with the same. \`scheme\` is the key in \`pids\`, the name by default.
  \`examples/identifiers/deposit.config.ts\` registers handles.

**exports**
: Further formats of records by name: \`{ mediaType, extension, title?, write(description) }\`; one
  of the package's is replaced by its namesake. Each has its address
  (\`/api/records/VALUE/export/NAME\`), is sent to those who name its media type in \`Accept\`, and
  is in the menus. \`write\` gets a neutral description of the record, whose type is exported as
  \`Description\`, and returns a text. Fields that a document has not are undefined.

**sets**
: Sets of records for harvesters by name, beside those of the resource types: \`{ title?, has(metadata) }\`,
  whose function answers true or false at once: whether a record is in the set. It is asked for each record of each harvest. Names are of lower-case letters, digits and hyphens. If the function fails, the record is not in the set, and the log has the first such failure.

**permissions**
: \`scopePermission(check, …scopes)\`, \`writeScopePermission(check)\` and
  \`indexedWriteScopePermission(check)\` make values for the \`…_permission_factory_imp\` options
  from a check over a user and a deposit (undefined for one that is to be made). The user is \`{ id,
  email?, name?, groups, claims, scopes, roles, admin }\`: \`groups\` and \`claims\` are those of the
  access token of \`DEPOSIT_ISSUER\`, and empty with any other token; \`scopes\` and \`roles\` are
  sets. Administrators pass every check, but need the scopes, too; curators may read what was published.
  \`examples/permissions/deposit.config.ts\` lets staff deposit, and curators of physics publish.

**serializers**
: A function from the JSON of an answer to a text, by media type; \`"json"\` stands for the JSON
  itself.

\`examples/configuration/deposit.config.ts\` is a complete example.

## IDENTIFIERS

The status of a persistent identifier (\`depositd pid show\`) determines the answer: \`K\` reserved
and \`R\` registered can be read; \`M\` moved answers 301 with the new address; \`D\` deleted
answers 410; \`N\` new is not in use yet and answers 404. A record whose identifier is \`R\` is
sealed.

All versions of a record together have an identifier as well, that of their concept: it is minted
with the first draft, stands in \`pids.concept\`, and answers 302 with the newest version, at every
address where a record's identifier can stand.

## SEE ALSO

depositd(1), deposit(1)
`
