import { Type } from 'typebox'
import { issuerRoles } from './issuer-settings.ts'
import { key, optionalKey } from './key.ts'

const text = Type.String({ minLength: 1 })

/** Keys of an issuer that is not ours. */
export const issuerKeys = {
  DEPOSIT_ISSUER: optionalKey(
    text,
    'the embedded issuer',
    'Issuer of access tokens, instead of the embedded one: its exact name, an `https://` address. It identifies the users; they need no account here.',
  ),
  DEPOSIT_ISSUER_AUDIENCE: optionalKey(
    text,
    'the address of the interface',
    'Required audience (`aud`) of the tokens of `DEPOSIT_ISSUER`.',
  ),
  DEPOSIT_ISSUER_CLIENT_ID: optionalKey(
    text,
    'none',
    'With `DEPOSIT_ISSUER_CLIENT_SECRET`: client that asks `DEPOSIT_ISSUER` about unsigned tokens (introspection).',
  ),
  DEPOSIT_ISSUER_CLIENT_SECRET: optionalKey(text, 'none', 'Its secret.'),
  DEPOSIT_ISSUER_PAGES_CLIENT: key(
    text,
    'deposit-pages',
    'Client id of the pages at `DEPOSIT_ISSUER`: a public client for the code flow with PKCE, with the redirect to `/deposit/signed-in`.',
  ),
  DEPOSIT_ISSUER_ADMIN_CLAIM: optionalKey(
    text,
    'none',
    'Claim and value that make a user of `DEPOSIT_ISSUER` an administrator: `groups=deposit-admins`.',
  ),
  DEPOSIT_ISSUER_ROLES: optionalKey(
    issuerRoles,
    'none',
    'Claims of `DEPOSIT_ISSUER` that give its users roles, by role: `{"curator": "groups=library", "reviewer": ["groups=faculty", "title=editor"]}`. Roles are `administrator`, `curator` and `reviewer`; see ROLES in depositd(8). A role lasts as long as the access token with the claim; personal tokens have the roles that were granted here alone.',
  ),
} as const
