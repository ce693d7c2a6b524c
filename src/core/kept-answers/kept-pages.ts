import { LRUCache } from 'lru-cache'
import { isPublicOnly, type Viewer } from '../access/viewer.ts'
import { readVersion } from '../db/remembered.ts'
import type { Answer } from '../http/answer/answer.ts'
import { weakTag } from '../http/answer/conditional.ts'
import { JsonBytes } from '../http/answer/json-text.ts'

const MAX_BYTES = 12 * 1024 * 1024

/** Milliseconds: the signature of a commit may be good only until its key expires. */
const MAX_AGE = 10 * 60_000

/** What an answer is of. */
interface State {
  readonly version: number
  readonly repo: object | undefined
}

interface Kept extends State {
  readonly answer: Answer
  readonly bytes: number
}

interface Made extends State {
  readonly answer: Promise<Answer>
}

/**
 * Answers to lists of issues, pull requests, commits and branches, and what was said on one issue, which take longer to
 * make than to send.
 */
export type KeptPages = ReturnType<typeof createKeptPages>

/** `read` is the database that `make` reads, and nothing else but git objects by ids that `wanted` has. */
export function createKeptPages(read: object, rootUrl: () => string) {
  const cache = new LRUCache<string, Kept>({
    maxSize: MAX_BYTES,
    maxEntrySize: MAX_BYTES / 4,
    ttl: MAX_AGE,
    sizeCalculation: ({ bytes }, key) => bytes + key.length + 200,
  })
  const making = new Map<string, Made>()
  return {
    /**
     * The answer that `make` gives, made again only after a commit of any process, and once for all who ask meanwhile.
     * `wanted` has everything that it depends on beside the viewer and the database. `repo` is what the guard read, of
     * which `remembered` gives another object after every commit: an answer is not kept for later requests where a commit
     * came between the guard and `make`, which shows rows that the guard read.
     */
    async get(viewer: Viewer, wanted: readonly unknown[], make: () => Promise<Answer>, repo?: object): Promise<Answer> {
      // NOTE: asked before the rows are read: an answer that a commit overtook belongs to a version that is over.
      const version = await readVersion(read)
      if (version === undefined) return make()
      const key = JSON.stringify([keyOf(viewer), rootUrl(), ...wanted])
      for (const known of [cache.get(key), making.get(key)])
        if (known?.version === version && known.repo === repo) return known.answer
      const made = { version, repo, answer: make().then(keepable) }
      making.set(key, made)
      try {
        const answer = await made.answer
        cache.set(key, { version, repo, answer, bytes: (answer.body as JsonBytes).bytes.length })
        return answer
      } finally {
        if (making.get(key) === made) making.delete(key)
      }
    },
  }
}

/** What decides, beside rows of the database, what a viewer sees. */
const keyOf = (viewer: Viewer): readonly unknown[] =>
  viewer.kind === 'user' ? [viewer.account.id, isPublicOnly(viewer), ...(viewer.onlyRepos ?? ['all'])] : []

/** The same answer with its body as bytes and the tag of these. */
function keepable(answer: Answer): Answer {
  const body = new JsonBytes(answer.body)
  return { ...answer, body, headers: { ...answer.headers, etag: weakTag(body.bytes, answer.total) } }
}
