import type { RJSFSchema } from '@rjsf/utils'
import type { HistoryEntryBody } from '../../../../core/contract/history.ts'
import { language, text } from '../../text/text.ts'
import { isArray, isObject, type Json } from '../api/json.ts'
import { labelAt, pointerSteps } from '../form/faults.ts'

/** One changed place of the document: its label, and its values in words where they are known. */
export interface ChangedPlace {
  readonly label: string
  readonly before?: string
  readonly after?: string
}

const actions = ['undo', 'edit', 'discard', 'merge', 'publish', 'accept'] as const

/** A change in a sentence: `Added License. Changed Title and Keywords`. */
export function summaryOf({ action, patch }: HistoryEntryBody, labels: RJSFSchema): string {
  const known = actions.find((each) => each === action)
  const verbs = new Map<string, 'added' | 'removed' | 'changed'>()
  for (const { op, path } of patch) {
    const [name = ''] = pointerSteps(path)
    const isWhole = pointerSteps(path).length === 1
    const verb = !isWhole || op === 'replace' ? 'changed' : op === 'add' ? 'added' : 'removed'
    const earlier = verbs.get(name)
    verbs.set(name, earlier === undefined || earlier === verb ? verb : 'changed')
  }
  const list = new Intl.ListFormat(language(), { type: 'conjunction' })
  const told = (['added', 'removed', 'changed'] as const).flatMap((verb) => {
    const names = [...verbs].filter(([, each]) => each === verb).map(([name]) => name)
    if (names.length === 0) return []
    return [
      text(`history.${verb}`, { fields: list.format(names.map((name) => label(labels, name))) }),
    ]
  })
  return [...(known ? [text(`history.did.${known}`)] : []), ...told].join('. ')
}

function label(labels: RJSFSchema, name: string): string {
  return name === '$schema' ? text('history.kind') : labelAt(labels, `/${name}`)
}

/** Places whose values are shown; the rest of a large change is named in its summary. */
const mostPlaces = 50

/** What a change did, place by place. */
export function placesOf(
  { patch, undo }: HistoryEntryBody,
  labels: RJSFSchema,
): readonly ChangedPlace[] {
  return patch.slice(0, mostPlaces).map((operation) => {
    const { op, path, value } = operation
    // Positions in a list move with each step: only a place that is named once is the same in both.
    const isOnce = [patch, undo].every(
      (all) => all.filter((each) => each.path === path).length === 1,
    )
    const back = isOnce ? undo.find((each) => each.path === path) : undefined
    const before = back && back.op !== 'remove' ? toWords(back.value as Json) : undefined
    const after = op === 'remove' ? undefined : toWords(value as Json)
    const [name = ''] = pointerSteps(path)
    return {
      label: name === '$schema' ? text('history.kind') : labelAt(labels, path.replace(/\/-$/, '')),
      ...(before !== undefined && { before }),
      ...(after !== undefined && { after }),
    }
  })
}

/** Characters of a value that are shown. */
const longest = 500

function toWords(value: Json): string {
  const words = inLine(value)
  return words.length > longest ? `${words.slice(0, longest)}…` : words
}

function inLine(value: Json): string {
  if (isArray(value)) return value.map(inLine).join('; ')
  if (isObject(value)) return Object.values(value).map(inLine).join(text('record.between'))
  return typeof value === 'string' ? value : JSON.stringify(value)
}
