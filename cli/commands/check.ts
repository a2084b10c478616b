import { advice, type Advice } from '../advice.ts'
import type { Command } from 'commander'
import type { Findings } from '../output/finding.ts'
import type { CliContext } from '../session/context.ts'
import { exitCodes, type ExitCode } from '../exit-codes.ts'
import { statusOf } from '../output/deposit-facts.ts'
import { Failure } from '../failure.ts'
import { narrate, print } from '../output/print.ts'
import { count } from '../output/units.ts'
import { followLinks, newCommand, strict, type CommonOptions } from './command.ts'

interface CheckOptions extends CommonOptions {
  readonly followLinks?: true
  readonly yes?: true
  readonly strict?: true
}

/** `deposit check [what]`: finds every reason why publishing would be refused. */
export function checkCommand(context: CliContext): Command {
  return newCommand('check', {
    'deposit check': 'the current folder',
    'deposit check results/': 'its metadata and the names of its files, before anything is sent',
    'deposit check metadata.yaml': 'only the metadata, with line and column of each fault',
    'deposit check 4f2a91': 'rehearses publishing a draft at the server',
  })
    .description(
      'Show why a folder, a metadata file or a deposit could not be published. Folders and ' +
        'files are checked on this machine, against the schemas of this package and without a ' +
        'sign-in; for a deposit, the server rehearses publishing and changes nothing. The ' +
        'fields are in deposit-metadata(5).\n\n' +
        'Files stay closed where the field access says so, or a .zenodo.json or other metadata ' +
        'that are taken over. Other words for "embargoed" or "restricted" (access_right, ' +
        'embargo_date and the like) are refused unless access carries them out, also in another ' +
        'metadata file of the folder, such as datacite.xml or meta.yaml. Warnings are about recommended fields that are missing, ' +
        'unknown fields, and licenses, languages and years that do not exist; and about ' +
        'metadata that say too little for search engines and assessments of FAIR data: no ' +
        'keywords, or a description that is very short or long.\n\n' +
        'A deposit without any metadata is ready only with --yes. The exit status is the one ' +
        'that publishing would end with.',
    )
    .argument(
      '[what]',
      'folder, metadata file, or identifier or address of a deposit; by default the current folder',
    )
    .option(...followLinks)
    .option('--yes', 'accept a deposit without any metadata, as publishing with --yes does')
    .option(...strict)
    .action((what: string | undefined, options: CheckOptions) =>
      check(context, what ?? '.', options),
    )
}

async function check(context: CliContext, what: string, options: CheckOptions): Promise<void> {
  const { streams } = context
  const [{ checkLocal }, { shareLines, toLine, toWarnings }] = await Promise.all([
    import('../check/check-local.ts'),
    import('../output/finding.ts'),
  ])
  const local = await checkLocal(context, what, options)
  const { findings, ...refusal } = local ?? (await rehearse(context, what, options))
  const { errors, warnings } = options.strict
    ? { errors: [...findings.errors, ...findings.warnings], warnings: [] }
    : findings
  for (const warning of toWarnings(warnings)) narrate(streams, options, warning)
  const body = { publishable: errors.length === 0, errors, warnings }
  const lines = shareLines(errors).map(toLine)
  print(streams, options, { body, ids: lines, lines: () => lines })
  if (errors.length > 0) throw notPublishable(what, errors.length, refusal)
  narrate(streams, options, `Ready to publish: ${nameOf(what)}`)
}

async function rehearse(
  context: CliContext,
  id: string,
  options: CheckOptions,
): Promise<Refusal & { readonly findings: Findings }> {
  const [{ namedWay, sayRefusal }, { exitCodeAfter }, { lackOf }, client] = await Promise.all([
    import('../client/api-failure.ts'),
    import('../client/rehearsal.ts'),
    import('../check/preflight.ts'),
    context.client(options),
  ])
  const { errors, warnings } = await client.rehearse(id)
  const said = errors.map((error) => {
    const message = sayRefusal(error.message, id) ?? error.message
    return { ...error, message }
  })
  const isAsked = options.yes === undefined && errors.length === 0
  const deposit = isAsked ? await client.read(id, `check ${id}`) : undefined
  const isDraft = deposit !== undefined && statusOf(deposit) === 'draft'
  const lack = isDraft ? lackOf(deposit.metadata) : undefined
  if (deposit !== undefined && lack !== undefined) {
    const found = { field: '', message: lack.said }
    const next = lack.hasFields ? advice.correctDocument(deposit.id) : advice.giveTitle(deposit.id)
    const others = warnings.filter(({ message }) => message !== `${lack.why}.`)
    return {
      findings: { errors: [found], warnings: others },
      next,
      exitCode: exitCodes.usage,
    }
  }
  return {
    findings: { errors: said, warnings },
    next: namedWay(id, errors),
    exitCode: exitCodeAfter(errors),
  }
}

function nameOf(what: string): string {
  return what === '.' ? 'the current folder' : what
}

interface Refusal {
  readonly next?: Advice | undefined
  /** Exit status that publishing would end with. */
  readonly exitCode?: ExitCode | undefined
}

function notPublishable(
  what: string,
  number: number,
  { next = advice.checkAgain(what), exitCode }: Refusal,
): Failure {
  return new Failure(
    {
      headline: `${nameOf(what)} is not ready to publish`,
      tried: `check ${what}`,
      said: `${count(number, 'thing')} to correct, listed on standard output`,
      next,
    },
    { exitCode },
  )
}
