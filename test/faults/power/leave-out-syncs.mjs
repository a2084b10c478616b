// Loaded into the daemon before its own code (`node --import`): disables the daemon's own syncs of
// files and directories. It has no effect on SQLite.
import { open } from 'node:fs/promises'

const handle = await open('/dev/null')
const { prototype } = handle.constructor
await handle.close()
prototype.sync = async () => {}
prototype.datasync = async () => {}
