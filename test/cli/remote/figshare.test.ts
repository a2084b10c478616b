import { remoteKinds } from '../../support/remote-kinds.ts'
import { behavesAsRepository } from './behaviour.ts'

for (const [name, kind] of Object.entries(remoteKinds))
  if (kind.kind === 'figshare') behavesAsRepository(name, kind)
