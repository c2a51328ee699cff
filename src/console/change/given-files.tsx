/** Files that the words of a command name: read by the browser, and sent along. */
import type { GivenFiles } from '../base/api.ts'

export function Given({
  files,
  onFiles,
}: {
  readonly files: GivenFiles
  readonly onFiles: (chosen: GivenFiles) => void
}) {
  const names = Object.keys(files)
  const read = async (list: FileList | null): Promise<void> => {
    const texts = [...(list ?? [])].map(async (file) => [file.name, await file.text()] as const)
    onFiles(Object.fromEntries(await Promise.all(texts)))
  }
  return (
    <div class="given-files">
      <label>
        File that the command names <input type="file" onChange={(event) => void read(event.currentTarget.files)} />
      </label>
      {names.length > 0 && <span class="muted">Sent along: {names.join(', ')}</span>}
    </div>
  )
}
