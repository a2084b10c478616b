import { describe, expect, it } from 'vitest'
import type { TrashBody } from '../../core/contract/history.ts'
import type { DepositBody } from '../../core/contract/schemas.ts'
import { formatFields } from '../../core/contract/uploads.ts'
import { bodyOf } from '../support/http.ts'
import { testDaemon } from '../support/test-daemon.ts'
import type { User } from '../support/user.ts'

async function replace(user: User, draft: DepositBody, content: string): Promise<void> {
  const fields = { name: 'a.txt', replace: 'true', replaced: 'trash' }
  const reply = await user.post(draft.links['uploads'] ?? '', {
    headers: {
      'tus-resumable': '1.0.0',
      'upload-length': String(content.length),
      'upload-metadata': formatFields(fields),
      'content-type': 'application/offset+octet-stream',
    },
    body: content,
  })
  expect(reply.status).toBe(201)
}

const trash = async (user: User, { links }: DepositBody): Promise<TrashBody> =>
  bodyOf(await user.get(links['trash'] ?? ''), 200)

describe('An upload that asks for the trash for the file it replaces', () => {
  it('puts it there, from where it can be brought back', async () => {
    await using daemon = await testDaemon()
    const ada = daemon.as('ada')
    const draft = await ada.createDraft()
    const old = await ada.addFile(draft, 'a.txt', 'old')
    await replace(ada, draft, 'newer')

    const [deleted] = await trash(ada, draft)
    expect(deleted).toMatchObject({ id: old.id, filename: 'a.txt', filesize: 3 })
    const url = `/deposits/${draft.id}/files/a.txt`
    expect((await ada.get(`${url}?download`)).bytes.toString()).toBe('newer')
    expect((await ada.delete(url)).status).toBe(204)
    expect((await ada.post(deleted?.links.self ?? '', {})).status).toBe(201)
    expect((await ada.get(`${url}?download`)).bytes.toString()).toBe('old')
  })

  it('leaves the same bytes where they are', async () => {
    await using daemon = await testDaemon()
    const ada = daemon.as('ada')
    const draft = await ada.createDraft()
    await ada.addFile(draft, 'a.txt', 'old')
    await replace(ada, draft, 'old')
    expect(await trash(ada, draft)).toEqual([])
  })

  it('makes a new version where no deleted file is kept', async () => {
    await using daemon = await testDaemon({ env: { DEPOSIT_RETENTION_DAYS: '0' } })
    const ada = daemon.as('ada')
    const draft = await ada.createDraft()
    const old = await ada.addFile(draft, 'a.txt', 'old')
    await replace(ada, draft, 'newer')

    expect(await trash(ada, draft)).toEqual([])
    const before = `/deposits/${draft.id}/files/a.txt?download&versionId=${old.version_id}`
    expect((await ada.get(before)).bytes.toString()).toBe('old')
  })
})
