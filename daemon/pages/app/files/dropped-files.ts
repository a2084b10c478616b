/** A file to upload, with the path it had in its folder. */
export interface Source {
  readonly path: string
  readonly file: File
}

/** The files of a drop, those in folders included. */
export async function droppedFiles(transfer: DataTransfer): Promise<readonly Source[]> {
  // The list empties itself as soon as the event is over: entries are taken before anything waits.
  const entries = [...transfer.items].flatMap((item) => item.webkitGetAsEntry() ?? [])
  const found = await Promise.all(entries.map((entry) => filesIn(entry)))
  return found.flat()
}

/** The files of an `input`, with their paths where a folder was chosen. */
export function chosenFiles(input: HTMLInputElement): readonly Source[] {
  const sources = [...(input.files ?? [])].map((file) => ({
    path: file.webkitRelativePath || file.name,
    file,
  }))
  input.value = ''
  return sources
}

async function filesIn(entry: FileSystemEntry): Promise<readonly Source[]> {
  if (isFile(entry)) {
    const file = await new Promise<File>((resolve, reject) => entry.file(resolve, reject))
    return [{ path: entry.fullPath.replace(/^\//, ''), file }]
  }
  if (!isFolder(entry)) return []
  const found = await Promise.all((await entriesOf(entry)).map(filesIn))
  return found.flat()
}

/** A folder hands its entries out in portions; an empty one is the last. */
async function entriesOf(folder: FileSystemDirectoryEntry): Promise<readonly FileSystemEntry[]> {
  const reader = folder.createReader()
  const all: FileSystemEntry[] = []
  for (;;) {
    const portion = await new Promise<FileSystemEntry[]>((resolve, reject) =>
      reader.readEntries(resolve, reject),
    )
    if (portion.length === 0) return all
    all.push(...portion)
  }
}

function isFile(entry: FileSystemEntry): entry is FileSystemFileEntry {
  return entry.isFile
}

function isFolder(entry: FileSystemEntry): entry is FileSystemDirectoryEntry {
  return entry.isDirectory
}
