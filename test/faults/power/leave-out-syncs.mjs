// Loaded into the daemon before its own code (`node --import`): files and directories that it syncs
// itself are not. What SQLite does is beyond its reach.
import { open } from 'node:fs/promises'

const handle = await open('/dev/null')
const { prototype } = handle.constructor
await handle.close()
prototype.sync = async () => {}
prototype.datasync = async () => {}
