import { describe, expect, it } from 'vitest'
import { testDaemon } from '../support/test-daemon.ts'

const dataset = 'deposits/dataset-v1.0.0.json'

describe('Configuration keys', () => {
  it('DEPOSIT_DEFAULT_JSONSCHEMA is the schema for new deposits', async () => {
    await using daemon = await testDaemon({ env: { DEPOSIT_DEFAULT_JSONSCHEMA: dataset } })
    const draft = await daemon.as('ada').createDraft()

    expect(draft.metadata.$schema).toBe(`${daemon.origin}/schemas/${dataset}`)
  })

  it('DEPOSIT_DEFAULT_STORAGE_CLASS is the storage class of new files', async () => {
    await using daemon = await testDaemon({ env: { DEPOSIT_DEFAULT_STORAGE_CLASS: 'A' } })
    const ada = daemon.as('ada')
    const [file] = await ada.files(await ada.createDraftWith('a'))

    expect(file?.storage_class).toBe('A')
  })

  it('DEPOSIT_FILES_CHECKSUMS adds digests that are computed in the same pass', async () => {
    await using daemon = await testDaemon({ env: { DEPOSIT_FILES_CHECKSUMS: 'md5' } })
    const ada = daemon.as('ada')
    const { body } = await ada.upload(await ada.createDraft(), 'a', '')

    expect(body).toMatchObject({ checksums: { md5: 'md5:d41d8cd98f00b204e9800998ecf8427e' } })
  })

  it.for([
    ['DEPOSIT_PID_MINTER', 'nope'],
    ['DEPOSIT_REGISTER_SIGNALS', 'perhaps'],
    ['DEPOSIT_MAX_FILE_SIZE', '-1'],
    ['DEPOSIT_MAX_FILES', 'many'],
    ['DEPOSIT_MAX_BODY', '1e6'],
  ])('a wrong value of %s ends the start, and the message names the key', async ([key, value]) => {
    await expect(testDaemon({ env: { [key ?? '']: value ?? '' } })).rejects.toThrow(key)
  })
})
