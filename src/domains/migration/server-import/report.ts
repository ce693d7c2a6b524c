export interface Count {
  read: number
  written: number
}

/** Results of the import of a server, and tasks that remain to be done by hand. */
export type Report = ReturnType<typeof createReport>

const MAX_LINES = 100_000

/** `changed` is called after each object, with the number of all objects where it is known, else 0. */
export function createReport(changed: (objects: number, total: number) => void) {
  const counts = new Map<string, Count>()
  const omissions: string[] = []
  const deletions: string[] = []
  const secrets = new Set<string>()
  const accounts: string[] = []
  let objects = 0
  let total = 0
  const countOf = (kind: string): Count => {
    const count = counts.get(kind) ?? { read: 0, written: 0 }
    counts.set(kind, count)
    return count
  }
  return {
    counts: counts as ReadonlyMap<string, Count>,
    /** Omitted objects, with the reason. */
    omissions: omissions as readonly string[],
    /** Objects that were deleted because they were deleted at the other server. */
    deletions: deletions as readonly string[],
    /** Secrets that cannot be read and are to be entered again. */
    secrets: secrets as ReadonlySet<string>,
    /** Names of accounts that may have no password: nobody has signed in to them. */
    accounts: accounts as readonly string[],
    objects: (): number => objects,
    read(kind: string, count = 1): void {
      countOf(kind).read += count
      changed((objects += count), total)
    },
    written(kind: string, count = 1): void {
      countOf(kind).written += count
    },
    /** Objects within repositories, which another process imports. */
    progressed(count: number): void {
      objects += count
      changed(objects, total)
    },
    /** More objects are to come. */
    expect(count: number): void {
      total = Math.max(total, objects) + count
    },
    omit(text: string): void {
      if (omissions.length < MAX_LINES) omissions.push(text.slice(0, 1_000))
    },
    deleted(text: string): void {
      if (deletions.length < MAX_LINES) deletions.push(text.slice(0, 1_000))
    },
    secret(text: string): void {
      secrets.add(text)
    },
    needsPassword(name: string): void {
      accounts.push(name)
    },
  }
}
