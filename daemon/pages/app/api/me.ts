import type { Role } from '../../../../core/access/caller.ts'
import { callJson } from './http.ts'
import type { Page } from './page.ts'

/** Who is signed in. */
export interface Me {
  /** Id of the user. */
  readonly user: string
  readonly roles: readonly Role[]
}

export function readMe({ routes }: Pick<Page, 'routes'>): Promise<Me> {
  return callJson<Me>(routes.me)
}
