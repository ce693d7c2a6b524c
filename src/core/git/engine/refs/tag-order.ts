import type { GitCommand } from '../command.ts'

/** The time of a tag in epoch seconds: the tagger's, or, for a lightweight tag, its commit's committer time. */
export interface TagTime {
  /** Full name of the ref. */
  readonly ref: string
  readonly time: number
}

const FORMAT = '%(refname)%00%(objecttype)%00%(*objecttype)%00%(creatordate:unix)'

/** Tags that peel to a commit, listed by one process; newest first, then by name. */
export async function listTagTimes(command: GitCommand): Promise<readonly TagTime[]> {
  const { stdout } = await command.run(['for-each-ref', `--format=${FORMAT}`, 'refs/tags/'])
  const tags: TagTime[] = []
  for (const line of stdout.toString('utf8').split('\n')) {
    const [ref = '', type, peeled, time] = line.split('\0')
    // NOTE: a tag of a tag may peel to another type; only reading it shows which.
    if (type === 'commit' || (type === 'tag' && (peeled === 'commit' || peeled === 'tag')))
      tags.push({ ref, time: Number(time) || 0 })
  }
  return tags.toSorted((a, b) => b.time - a.time || (a.ref < b.ref ? -1 : 1))
}
