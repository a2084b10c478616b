import type { KeptEntry } from '../../core/index.ts'
import { runDepositd } from './depositd.ts'
import { bodyOf, send } from './http.ts'
import { asOwner } from './owner.ts'

/** An entry of the audit trail. */
export type Entry = KeptEntry & { readonly email: string | null }

/** The audit trail of a running daemon, oldest first. */
export async function trailOf(
  { origin, home }: { readonly origin: string; readonly home: string },
  options: Readonly<Record<string, string>> = {},
): Promise<readonly Entry[]> {
  const path = '/local/operator'
  const json = { command: 'audit', options }
  const reply = await send('POST', origin + path, {
    headers: await asOwner(origin, home, path),
    json,
  })
  return bodyOf<{ readonly data: readonly Entry[] }>(reply, 200).data.toReversed()
}

/** The audit trail of a home, by the operator’s command; oldest first. */
export async function trailIn(home: string): Promise<readonly Entry[]> {
  const { stdout } = await runDepositd(home, ['audit', '--json'])
  return (JSON.parse(stdout) as readonly Entry[]).toReversed()
}
