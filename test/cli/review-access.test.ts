import { expect, it } from 'vitest'
import { runCli } from '../support/run-cli.ts'
import { testDaemon } from '../support/test-daemon.ts'

it('submitting an edit that opens the closed files of a record says so, and no other does', async () => {
  await using daemon = await testDaemon({ env: { DEPOSIT_REVIEW: 'optional' } })
  const ada = daemon.as('ada')
  const { authorization = '' } = await ada.authorization()
  const environment = {
    DEPOSIT_URL: daemon.origin,
    DEPOSIT_TOKEN: authorization.replace('Bearer ', ''),
  }
  const access = { files: 'restricted', until: '2999-01-01' }
  const draft = await ada.createDraft({ title: 'Gauges', access })
  await ada.addFile(draft, 'levels.csv')
  const { id } = await ada.publish(draft)
  await ada.edit({ ...draft, id })

  const same = await runCli(['submit', id], { environment })
  await runCli(['take-back', id], { environment })
  await ada.patch(`/deposits/${id}`, [{ op: 'remove', path: '/access' }])
  const opens = await runCli(['submit', id], { environment })

  expect([same.status, opens.status]).toEqual([0, 0])
  expect(same.stderr).not.toContain('become public')
  expect(opens.stderr).toContain('warning: ')
  expect(opens.stderr).toContain('The files become public')
})
