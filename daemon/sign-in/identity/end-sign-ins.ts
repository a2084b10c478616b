import type { UnitOfWork, UserId } from '../../../core/index.ts'

/** The kind of the entries of links to set a passphrase: they are beside those of the issuer. */
export const passphraseLink = 'PassphraseLink'

/**
 * Ends all sign-ins of a user at once: grants, codes, access and refresh tokens of all programs, and
 * links to download. Personal tokens stay, and so does a link to set a passphrase.
 */
export async function endSignIns(
  { issuer }: Pick<UnitOfWork, 'issuer'>,
  user: UserId,
): Promise<void> {
  await issuer.removeOf(user, passphraseLink)
}
