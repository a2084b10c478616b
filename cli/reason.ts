import { codeOf } from '../core/base/errno.ts'
/** Texts by error code; reasonOf adds the path. */
const ofFiles: Readonly<Record<string, string>> = {
  EACCES: 'you may not read it',
  EBUSY: 'another program is using it',
  EIO: 'the disk reports an error',
  EISDIR: 'it is a folder, not a file',
  ELOOP: 'links lead in a circle there',
  EMFILE: 'too many files are open on this machine',
  ENAMETOOLONG: 'the name is too long',
  ENOENT: 'there is no such file or folder',
  ENOTDIR: 'there is a file where a folder should be',
  EPERM: 'you may not read it',
}

const ofConnections: Readonly<Record<string, string>> = {
  EAI_AGAIN: 'the name of the host could not be looked up',
  ECONNREFUSED: 'no program accepts connections there',
  ECONNRESET: 'the connection was closed before the answer was complete',
  EHOSTUNREACH: 'the network does not reach that host',
  ENETUNREACH: 'the network does not reach that host',
  ENOTFOUND: 'there is no host of that name',
  EPIPE: 'the connection was closed before the request was complete',
  EPROTO: 'it does not answer in https; DEPOSIT_URL may need http',
  ERR_SSL_WRONG_VERSION_NUMBER: 'it does not answer in https; DEPOSIT_URL may need http',
  ETIMEDOUT: 'it took too long to connect',
}

/** The reason of an error; for a file, in words and with its path. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const said = ofFiles[codeOf(error)]
  if (said === undefined) return error.message
  return 'path' in error ? `${said}: ${String(error.path)}` : said
}

/** The reason of a failed connection, in words. */
export function reasonOfNoAnswer(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const code = codeOf(error)
  if (code.startsWith('HPE_')) return 'it does not answer in http; DEPOSIT_URL may need https'
  return ofConnections[code] ?? (error.message || error.name)
}
