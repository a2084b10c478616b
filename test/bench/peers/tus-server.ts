/** `node tus-server.ts FOLDER PORT`: the reference implementation of resumable uploads. */
import { FileStore } from '@tus/file-store'
import { Server } from '@tus/server'

const [, , directory = '', port = ''] = process.argv
new Server({ path: '/files', datastore: new FileStore({ directory }) }).listen({
  host: '127.0.0.1',
  port: Number(port),
})
