import { interactionPolicy } from 'oidc-provider'

/**
 * Who may sign in, and to what, is asked for at each authorization: nothing that a browser has
 * kept answers in a person's place.
 */
export function askEachTime(): interactionPolicy.DefaultPolicy {
  const policy = interactionPolicy.base()
  const always = new interactionPolicy.Check(
    'asked_each_time',
    'The person is asked at each authorization.',
    ({ oidc }) => oidc.result?.login === undefined,
  )
  policy.get('login')?.checks.add(always)
  return policy
}
