import type { DepositBody } from '../../core/contract/schemas.ts'
import { plain } from '../plain.ts'

/** The title, or what stands for it in a list. */
export function titleOf({ metadata }: DepositBody): string {
  const title: unknown = Object.entries(metadata).find(([name]) => name === 'title')?.[1]
  return typeof title === 'string' && title !== '' ? plain(title) : '(no title)'
}

export function statusOf({ metadata }: DepositBody): string {
  return plain(metadata._deposit?.status ?? 'unknown')
}

/** Names of the actions that the server has. */
export function actionsOf({ links }: DepositBody): readonly string[] {
  return Object.keys(links).filter((name) => links[name]?.endsWith(`/actions/${name}`))
}

/** Where people see the record; undefined before the first publish. */
export function recordUrl({ links }: DepositBody): string | undefined {
  return links['record_html']
}
