import { useEffect, useState } from 'preact/hooks'
import { account as texts } from '../../text/account.ts'
import { addTexts, formatDay, formatSize, text } from '../../text/text.ts'
import { call, callJson } from '../api/http.ts'
import { readMe, type Me } from '../api/me.ts'
import type { Page } from '../api/page.ts'
import { Notice, say, sayFailure } from '../ui/messages.tsx'
import { NewToken } from './new-token.tsx'
import { SignIns, type SignIn } from './sign-ins.tsx'

addTexts(texts)

/** A personal token without its value. */
interface Token {
  readonly id: string
  readonly name: string
  readonly scope: string
  readonly created: string
  readonly expires: string | null
}

interface Account {
  readonly me: Me
  readonly signIns: readonly SignIn[]
  readonly tokens: readonly Token[]
}

/** Who is signed in, how much room is left, and the tokens that act for this person. */
export function AccountPage({ page }: { readonly page: Page }) {
  const { tokens: list } = page.routes
  const [account, setAccount] = useState<Account>()
  const [failure, setFailure] = useState('')
  const load = async () => {
    const [me, tokens, signIns] = await Promise.all([
      readMe(page),
      callJson<readonly Token[]>(list),
      callJson<readonly SignIn[]>(page.routes.signIns),
    ])
    setAccount({ me, tokens, signIns })
  }
  useEffect(() => {
    load().catch((error: unknown) =>
      setFailure(error instanceof Error ? error.message : String(error)),
    )
  }, [])
  if (failure !== '') return <Notice kind="bad">{failure}</Notice>
  if (!account) return <p class="quiet">{text('edit.loading')}</p>
  const { me, tokens, signIns } = account
  const revoke = async ({ id, name }: Token) => {
    try {
      await call(`${list}/${encodeURIComponent(id)}`, { method: 'DELETE' })
      await load()
      say(text('account.revoked', { name }))
    } catch (error) {
      sayFailure(error)
    }
  }
  return (
    <div class="account-page">
      <div class="page-head">
        <h1>{text('account.title')}</h1>
      </div>
      <section class="card account-part" aria-labelledby="account-who">
        <h2 id="account-who">{text('account.who')}</h2>
        <dl class="fields compact">
          <Fact name={text('account.email')}>{me.email ?? text('account.noEmail')}</Fact>
          {me.roles.length > 0 && (
            <Fact name={text('account.roles')}>
              {me.roles.map((role) => text(`admin.role.${role}`)).join(', ')}
            </Fact>
          )}
          <Fact name={text('account.room')}>
            {text('account.used', { used: formatSize(me.used), quota: formatSize(me.quota) })}
          </Fact>
        </dl>
        {/* Another issuer has its own place for both. */}
        {page.issuer === undefined && (
          <>
            <p>
              <a class="button" href="/oauth/passphrase/change">
                {text('account.changePassphrase')}
              </a>
            </p>
            <p class="hint">{text('account.changeEmail')}</p>
          </>
        )}
      </section>
      {signIns.length > 0 && <SignIns page={page} signIns={signIns} onEnded={load} />}
      <section class="card account-part" aria-labelledby="account-tokens">
        <h2 id="account-tokens">{text('account.tokens')}</h2>
        <p class="hint">{text('account.tokensExplain')}</p>
        {tokens.length === 0 && <p class="quiet">{text('account.noTokens')}</p>}
        <ul class="people-list" aria-label={text('account.tokens')}>
          {tokens.map((token) => (
            <li key={token.id} class="person">
              <span>
                <strong>{token.name}</strong> <span class="quiet">{factsOf(token)}</span>
              </span>
              <button type="button" onClick={() => void revoke(token)}>
                {text('account.revoke')}
                <span class="visually-hidden"> {token.name}</span>
              </button>
            </li>
          ))}
        </ul>
        <NewToken page={page} onMade={() => void load().catch(sayFailure)} />
      </section>
    </div>
  )
}

function Fact({ name, children }: { readonly name: string; readonly children: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  )
}

function factsOf({ scope, created, expires }: Token): string {
  const end =
    expires === null ? text('account.noEnd') : text('account.until', { day: formatDay(expires) })
  return [
    text(scope === '' ? 'account.mayRead' : 'account.mayChange'),
    text('account.made', { day: formatDay(created) }),
    end,
  ].join(text('record.between'))
}
