import { chmod, mkdir, readdir, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { CredentialStore } from '../../cli/auth/credential-store.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const credential = { token: 'secret', expires: null }
const origin = 'https://example.org'

async function newStore() {
  const folder = await temporaryFolder()
  const file = join(folder.path, 'config/credentials.json')
  return {
    file,
    store: new CredentialStore(file),
    [Symbol.asyncDispose]: () => remove(folder.path),
  }
}

function remove(path: string): Promise<void> {
  return rm(path, { recursive: true })
}

describe('stored sign-ins', () => {
  it('are kept by origin', async () => {
    await using world = await newStore()
    await world.store.save(origin, credential)
    await world.store.save('http://127.0.0.1:8420', { ...credential, token: 'other' })

    expect(await world.store.find(origin)).toEqual(credential)
    expect(await world.store.find('https://example.org:8443')).toBeUndefined()
    expect(await world.store.remove(origin)).toEqual(credential)
    expect(await world.store.find(origin)).toBeUndefined()
    expect(await world.store.remove(origin)).toBeUndefined()
  })

  it('can be read by their user alone, and leave no temporary files', async () => {
    await using world = await newStore()
    await world.store.save(origin, credential)

    expect((await stat(world.file)).mode & 0o777).toBe(0o600)
    expect((await stat(dirname(world.file))).mode & 0o777).toBe(0o700)
    expect(await readdir(dirname(world.file))).toEqual(['credentials.json'])
  })

  it('are refused if others can read them', async () => {
    await using world = await newStore()
    await world.store.save(origin, credential)
    await chmod(world.file, 0o640)

    await expect(world.store.find(origin)).rejects.toThrow('others can read it')
  })

  it('are refused if the file is a link', async () => {
    await using world = await newStore()
    await mkdir(dirname(world.file))
    await writeFile(`${world.file}.real`, '{}', { mode: 0o600 })
    await symlink(`${world.file}.real`, world.file)

    await expect(world.store.find(origin)).rejects.toThrow('it is a link')
  })

  it('count as absent if damaged', async () => {
    await using world = await newStore()
    await mkdir(dirname(world.file))
    await writeFile(world.file, '{"https://example.org": {"token": 5', { mode: 0o600 })

    expect(await world.store.find(origin)).toBeUndefined()
  })
})
