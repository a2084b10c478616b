import { advice } from '../advice.ts'
import type { DepositBody, FileBody } from '../../core/contract/schemas.ts'
import type { TokenBody } from '../client/bodies.ts'
import { UsageFailure } from '../failure.ts'
import type { JsonOption } from '../output/json.ts'
import type { Shape } from '../output/shape.ts'

const deposit = [
  'id',
  'metadata',
  'links',
  'pids',
  'revision',
  'created',
  'updated',
  'files',
  'sealed',
  'withdrawn',
  'review',
  'role',
] as const satisfies readonly (keyof DepositBody)[]
const file = [
  'id',
  'filename',
  'filesize',
  'checksum',
  'checksums',
  'version_id',
  'storage_class',
  'created',
  'links',
] as const satisfies readonly (keyof FileBody)[]
const token = [
  'id',
  'name',
  'scope',
  'deposit',
  'created',
  'expires',
  'parent',
] as const satisfies readonly (keyof TokenBody)[]
const changes = words('added replaced renamed deleted metadata')
const me = words('user email name admin roles scopes expires deposit token used quota usage')
const would = 'would'

/** Top-level fields that `--json` of each command prints; of a list, those of its items. */
export const jsonFields: Readonly<Record<string, readonly string[]>> = {
  init: words('file unfilled text'),
  create: [...deposit, would],
  list: deposit,
  show: [...deposit, 'error'],
  update: [...deposit, would, 'changes'],
  patch: [...deposit, would],
  clear: [...deposit, would],
  delete: ['id', 'error', would],
  history: words('n at by email action to patch undo'),
  undo: [...deposit, would, 'changes'],
  upload: file,
  files: file,
  export: ['id', 'format', 'text', 'path', 'filesize', 'files'],
  cite: ['id', 'style', 'text'],
  uploads: words('id filename partial filesize length_deferred offset created expires links would'),
  download: file,
  cat: [],
  sort: file,
  rename: [...file, would],
  diff: changes,
  verify: words(
    'path kind record compared revision described newer undigested files bytes errors warnings',
  ),
  sync: [...changes, would],
  rm: [...file, would],
  restore: [...file, 'deleted', 'by', 'expires', would],
  batch: words('row line name id status url message metadata files would'),
  check: words('publishable errors warnings needs_review withdrawn_version'),
  publish: [...deposit, 'error', would],
  edit: [...deposit, would],
  discard: [...deposit, would],
  action: [...deposit, would],
  newversion: [...deposit, would],
  reserve: [...deposit, would],
  submit: [...deposit, would],
  'take-back': [...deposit, would],
  reviews: deposit,
  accept: [...deposit, would],
  return: [...deposit, would],
  withdraw: [...deposit, would],
  'restore-record': [...deposit, would],
  merge: [...deposit, would],
  release: [...deposit, would, 'changes'],
  status: words(
    'folder files errors warnings deposit server status record newer withdrawn remotes changes next',
  ),
  open: [...deposit, 'url'],
  share: words('id user role since would'),
  unshare: words('id user role since would'),
  people: words('id user role since'),
  transfer: [...deposit, ...words('user since status'), would],
  'link create': words('id role label anonymous created expires url would'),
  'link list': words('id role label anonymous created expires'),
  'link revoke': ['id', would],
  push: words('begins remote metadata files refused warnings lost opens would'),
  pull: [...deposit, would],
  'remote add': words('name kind url collection contact'),
  'remote list': words('name kind url collection contact'),
  'remote check': words('name kind url collection contact account message'),
  'remote remove': words('name kind url collection contact'),
  login: [...me, would],
  logout: words('url signed_out id program since until current would'),
  whoami: me,
  'token create': [...token, 'token', would],
  'token list': token,
  'token revoke': ['id', would],
  'daemon start': words('pid url version started would'),
  'daemon stop': words('stopped pid would'),
  'daemon status': words('pid url version started'),
  'daemon logs': [],
  doctor: words('what found fix'),
  completion: [],
}

/**
 * Decides whether the argument behind `--json` names fields. An argument that the command requires
 * does not: `deposit show --json ID`.
 *
 * @param countMissing how many arguments the command lacks without the one behind `--json`
 * @throws {UsageFailure} it names a field that the command does not have
 */
export function settleJsonOption(
  args: readonly string[],
  name: string,
  countMissing: (others: readonly string[]) => number,
): readonly string[] {
  const end = args.indexOf('--')
  const options = end === -1 ? args : args.slice(0, end)
  const at = options.findIndex((arg) => arg === '--json' || arg.startsWith('--json='))
  if (at === -1) return args
  const others = args.toSpliced(at, 1)
  // Metadata have any fields: those of their schema.
  const command = name === 'show' && options.includes('--metadata') ? 'show --metadata' : name
  if (args[at] !== '--json') {
    requireKnown(command, args[at]?.slice('--json='.length) ?? '')
    return args
  }
  const next = options[at + 1]
  if (next === undefined || next.startsWith('-')) return atTheEnd(others)
  const names = next.split(',')
  if (names.includes('') && names.some((name) => name !== '' && isKnown(command, name)))
    throw emptyField(command, next)
  const isField = names.every((field) => isKnown(command, field))
  if (!isField || !Object.hasOwn(jsonFields, command)) {
    if (countMissing(args.toSpliced(at, 2)) > 0) return atTheEnd(others)
    requireKnown(command, next)
  }
  return args.toSpliced(at, 2, `--json=${next}`)
}

const shapes = ['--jq', '--template'] as const

/** True where the result as JSON gets another form, by `--jq` or `--template`. */
export function isShaped(args: readonly string[]): boolean {
  const end = args.indexOf('--')
  const options = end === -1 ? args : args.slice(0, end)
  return options.some((arg) => shapes.some((name) => arg === name || arg.startsWith(`${name}=`)))
}

/** With `--json`, which `--jq` and `--template` imply. */
export function withJson(args: readonly string[]): readonly string[] {
  return isShaped(args) && findJsonOption(args) === undefined ? atTheEnd(args) : args
}

interface ShapeOptions {
  readonly jq?: string
  readonly template?: string
}

/**
 * The form that `--jq` or `--template` gives to the result.
 *
 * @param name of the command
 * @throws {UsageFailure} it cannot be understood, or names a field that the command does not have
 */
export async function readShape(
  name: string,
  { jq, template }: ShapeOptions,
): Promise<Shape | undefined> {
  if (jq === undefined && template === undefined) return undefined
  if (jq !== undefined && template !== undefined)
    throw misplaced('--template', 'it goes without --jq')
  const option = jq === undefined ? '--template' : '--jq'
  if (jsonFields[name]?.length === 0) throw misplaced(option, `deposit ${name} prints no JSON`)
  const { shapeByJq, shapeByTemplate } = await import('../output/shape.ts')
  if (template === undefined) return shapeByJq(jq ?? '.')
  const shape = shapeByTemplate(template)
  if (shape.fields.length > 0) requireKnown(name, shape.fields.join(','))
  return shape
}

function misplaced(option: string, said: string): UsageFailure {
  return new UsageFailure({ tried: `use ${option}`, said, next: advice.leaveOut(option) })
}

/** The value of `--json` on a command line; undefined without one. */
export function findJsonOption(args: readonly string[]): JsonOption | undefined {
  const end = args.indexOf('--')
  const options = end === -1 ? args : args.slice(0, end)
  const option = options.find((arg) => arg === '--json' || arg.startsWith('--json='))
  return option?.startsWith('--json=') ? option.slice('--json='.length) : option && true
}

/** At the end of a line, an option with an optional argument takes none. */
function atTheEnd(others: readonly string[]): readonly string[] {
  const end = others.indexOf('--')
  return others.toSpliced(end === -1 ? others.length : end, 0, '--json')
}

/** Fields of `metadata._deposit`. */
const ofDeposit: ReadonlySet<string> = new Set(
  words('status owners created_by pid type value revision_id'),
)

/** Fields of `remote` of a push. */
const ofCopy: ReadonlySet<string> = new Set(words('id url doi status'))

function isKnown(command: string, field: string): boolean {
  return jsonFields[command]?.includes(field.split('.', 1)[0] ?? '') ?? true
}

/** @throws {UsageFailure} naming what there is */
function requireKnown(command: string, fields: string): void {
  if (fields.split(',').includes('')) throw emptyField(command, fields)
  const unknown = fields.split(',').filter((field) => !isKnown(command, field))
  if (unknown.length === 0) return
  const known = jsonFields[command] ?? []
  const [first = ''] = unknown
  const holder = holderOf(command, first)
  const place = unknown.length === 1 && holder !== undefined ? `${holder}.${first}` : ''
  throw new UsageFailure({
    tried: `print ${fields} as JSON`,
    said: `${unknown.join(', ')}: no such field${place && ` (${place}, perhaps)`}. Fields: ${known.join(', ')}`,
    next: advice.nameJsonFields(),
  })
}

/** The field that may have another field in it. */
function holderOf(command: string, field: string): string | undefined {
  // The metadata of a push are in the words of the repository.
  if (command === 'push') return ofCopy.has(field) ? 'remote' : undefined
  if (!jsonFields[command]?.includes('metadata')) return undefined
  return ofDeposit.has(field) ? 'metadata._deposit' : 'metadata'
}

/** A blank behind a comma splits a list of fields into two arguments. */
function emptyField(command: string, fields: string): UsageFailure {
  const known = jsonFields[command]
  const list = known === undefined ? '' : `. Fields: ${known.join(', ')}`
  return new UsageFailure({
    tried: `print ${fields} as JSON`,
    said: `a comma has no field beside it; fields are written without blanks, as in id,links${list}`,
    next: advice.nameJsonFields(),
  })
}

function words(text: string): readonly string[] {
  return text.split(' ')
}
