import { linkDownload, readBytes } from '../api/files.ts'
import type { DepositFile } from '../api/files.ts'
import { sayFailure } from '../ui/messages.tsx'

/** Bytes. Larger files do not go through the memory of the page. */
const mostInMemory = 64 * 2 ** 20

/** Saves a file on this machine. */
export async function saveBytes(file: DepositFile): Promise<void> {
  try {
    await (file.filesize < mostInMemory ? saveFromMemory(file) : saveByLink(file))
  } catch (error) {
    sayFailure(error)
  }
}

/** The bytes come with the token of the page, which no link carries. */
async function saveFromMemory({ filename, links }: DepositFile): Promise<void> {
  const url = URL.createObjectURL(await readBytes(links.download))
  follow(url, filename)
  setTimeout(() => URL.revokeObjectURL(url), 60_000)
}

/** The browser writes the bytes to the disk itself, by a link that works once. */
async function saveByLink({ filename, links }: DepositFile): Promise<void> {
  follow(await linkDownload(links.download), filename)
}

function follow(url: string, filename: string): void {
  const link = document.createElement('a')
  link.href = url
  link.download = filename.slice(filename.lastIndexOf('/') + 1)
  link.click()
}
