export interface ConanInfo {
  /** The text as it was sent: clients read it themselves. */
  readonly content: string
  readonly settings: Readonly<Record<string, string>>
  readonly options: Readonly<Record<string, string>>
}

const MAX_ENTRIES = 1000

/** Reads `conaninfo.txt` of a package; throws for an invalid one. Runs in a child process. */
export const createTask =
  () =>
  (sent: string): ConanInfo => {
    const content = sent.toWellFormed().replaceAll('\0', '')
    const sections = { settings: new Map<string, string>(), options: new Map<string, string>() }
    let section: Map<string, string> | undefined
    for (const line of content.split('\n')) {
      const heading = /^\[([\w-]+)\]\s*$/.exec(line)?.[1]
      if (heading !== undefined)
        section = heading === 'settings' || heading === 'options' ? sections[heading] : new Map()
      else if (line.trim() === '') continue
      else if (section === undefined) throw new Error('conaninfo.txt is invalid')
      else {
        const at = line.indexOf('=')
        if (at > 0) section.set(line.slice(0, at).trim(), line.slice(at + 1).trim())
        if (section.size > MAX_ENTRIES)
          throw new Error(`conaninfo.txt has more than ${MAX_ENTRIES} entries in a section`)
      }
    }
    return {
      content,
      settings: Object.fromEntries(sections.settings),
      options: Object.fromEntries(sections.options),
    }
  }
