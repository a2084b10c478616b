import { copyFile, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { makeScene, type Scene } from './scene.ts'
import { states, type State } from './states.ts'
import { desktop, phone, visit, type Visit } from './visit.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const all = join(root, 'dist/screenshots')
const kept = join(root, 'man/screenshots')

/** Pictures shown in the README. */
const shown = new Map([
  ['a draft', 'draft'],
  ['a record', 'record'],
  ['the list', 'list'],
])

/** Pictures of every page in every state, on a desktop in light and on a phone in dark mode. */
await mkdir(all, { recursive: true })
await mkdir(kept, { recursive: true })
await using visited = await visit({ reducedMotion: 'reduce' })
const scene = await makeScene(visited)
for (const state of states) await portray(visited, scene, state)

async function portray(v: Visit, of: Scene, state: State): Promise<void> {
  const name = state.name.replaceAll(' ', '-')
  for (const [place, viewport, colorScheme] of [
    ['desk', desktop, 'light'],
    ['phone', phone, 'dark'],
  ] as const) {
    await v.page.setViewportSize(viewport)
    await v.page.emulateMedia({ colorScheme })
    await state.open(v, of)
    const path = join(all, `${name}.${place}.png`)
    await v.page.screenshot({ path })
    const keep = place === 'desk' ? shown.get(state.name) : undefined
    if (keep) await copyFile(path, join(kept, `${keep}.png`))
  }
  process.stdout.write(`${name}\n`)
}
