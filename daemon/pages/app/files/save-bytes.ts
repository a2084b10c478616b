import { readBytes, type DepositFile } from '../api/files.ts'
import { sayFailure } from '../ui/toasts.tsx'

/** Saves a file on this machine. The bytes come with the token of the page, which no link carries. */
export async function saveBytes({ filename, links }: DepositFile): Promise<void> {
  try {
    const url = URL.createObjectURL(await readBytes(links.download))
    const link = document.createElement('a')
    link.href = url
    link.download = filename.slice(filename.lastIndexOf('/') + 1)
    link.click()
    setTimeout(() => URL.revokeObjectURL(url), 60_000)
  } catch (error) {
    sayFailure(error)
  }
}
