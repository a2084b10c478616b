import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { formatNumber, text } from '../../text/text.ts'
import { Notice } from '../ui/messages.tsx'

/** Rows of a page of a list. */
export const rowsOfPage = 25

/** The filters in the address: a form writes them there, so Back leads to the list before. */
export function askedFilter<Name extends string>(
  ...names: readonly Name[]
): Readonly<Record<Name, string>> {
  const parameters = new URLSearchParams(location.search)
  const found = names.map((name) => [name, parameters.get(name)?.trim() ?? ''] as const)
  return Object.fromEntries(found) as Record<Name, string>
}

/** The parameters that have a value. */
export function withoutEmpty(
  filter: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== ''))
}

export function askedPage(): number {
  const page = Number(new URLSearchParams(location.search).get('page') ?? 1)
  return Number.isInteger(page) && page > 0 ? page : 1
}

interface Asked<T> {
  readonly found?: T
  readonly failure?: string
  readonly reload: () => Promise<void>
}

/** Asks for what a page shows; the last answer stays until there is a new one. */
export function useAnswer<T>(ask: () => Promise<T>): Asked<T> {
  const [state, setState] = useState<Omit<Asked<T>, 'reload'>>({})
  const reload = async () => {
    try {
      setState({ found: await ask() })
    } catch (error) {
      const failure = error instanceof Error ? error.message : String(error)
      setState((before) => ({ ...before, failure }))
    }
  }
  useEffect(() => void reload(), [])
  return { ...state, reload }
}

interface AnswerProps {
  readonly failure: string | undefined
  readonly isThere: boolean
}

/** Says that an answer is on its way, or why there is none. */
export function AnswerState({ failure, isThere }: AnswerProps) {
  if (failure !== undefined) return <Notice kind="bad">{failure}</Notice>
  return isThere ? null : <p class="quiet">{text('admin.loading')}</p>
}

interface FilterFormProps {
  readonly children: ComponentChildren
  readonly isFiltered: boolean
}

/** Filters of a list, sent by the browser itself. */
export function FilterForm({ children, isFiltered }: FilterFormProps) {
  return (
    <form class="admin-filter" method="get" role="search">
      {children}
      <button type="submit">{text('admin.filter')}</button>
      {isFiltered && <a href={location.pathname}>{text('admin.unfiltered')}</a>}
    </form>
  )
}

interface TableProps {
  readonly name: string
  readonly heads: readonly string[]
  readonly children: ComponentChildren
}

/** A table that scrolls by itself where the screen is narrow. */
export function AdminTable({ name, heads, children }: TableProps) {
  return (
    <div class="admin-table" tabIndex={0} role="region" aria-label={text('admin.table', { name })}>
      <table>
        <thead>
          <tr>
            {heads.map((head) => (
              <th key={head} scope="col">
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  )
}

interface PagesProps {
  readonly page: number
  readonly total: number
}

/** Links to the pages before and after. */
export function PageLinks({ page, total }: PagesProps) {
  if (total <= rowsOfPage) return null
  const last = Math.ceil(total / rowsOfPage)
  const [from, to] = [(page - 1) * rowsOfPage + 1, Math.min(page * rowsOfPage, total)]
  return (
    <nav class="paging" aria-label={text('paging.label')}>
      {page > 1 && (
        <a class="button" rel="prev" href={toPage(page - 1)}>
          {text('paging.previous')}
        </a>
      )}
      <span>{text('paging.shown', { from, to, total: formatNumber(total) })}</span>
      {page < last && (
        <a class="button" rel="next" href={toPage(page + 1)}>
          {text('paging.next')}
        </a>
      )}
    </nav>
  )
}

function toPage(page: number): string {
  const parameters = new URLSearchParams(location.search)
  parameters.set('page', String(page))
  return `${location.pathname}?${parameters.toString()}`
}
