import type { Actor } from '../../../core/access/viewer.ts'
import type { Database } from '../../../core/db/database.ts'
import type { Events } from '../../../core/events/index.ts'
import type { Clock } from '../../../core/platform/clock.ts'
import { DomainError, notFound } from '../../../core/platform/errors.ts'
import { type Page, pageOf, type Paging } from '../../../core/platform/paging.ts'
import type { Repo } from '../repos/repo.store.ts'
import { lockTopicsOf, replaceTopics, searchTopics, type Topic } from './topic.store.ts'
import { isTopic, MAX_TOPICS, normaliseTopic, normaliseTopics } from './topics.policy.ts'

/** Topics of repositories (behaviour/repositories#topics-languages-licences). */
export interface Topics {
  /** By name. */
  list(repo: Repo, paging: Paging): Page<string>
  /** Throws Invalid with the member `invalidTopics`. */
  replace(actor: Actor, repo: Repo, topics: readonly string[]): Promise<void>
  /** Does nothing when the repository has the topic. Throws Invalid with the member `invalidTopics`. */
  add(actor: Actor, repo: Repo, topic: string): Promise<void>
  /** Throws NotFound when the repository does not have the topic, Invalid for a malformed one. */
  delete(actor: Actor, repo: Repo, topic: string): Promise<void>
  /** Most used first. */
  search(text: string, paging: Paging): Promise<Page<Topic>>
}

interface TopicDeps {
  readonly database: Database
  readonly clock: Clock
  readonly events: Events
}

export function createTopics({ database, clock, events }: TopicDeps): Topics {
  const change = (actor: Actor, repo: Repo, next: (before: readonly string[]) => readonly string[]): Promise<void> =>
    database.transaction(async (tx) => {
      const before = await lockTopicsOf(tx, repo.id)
      const topics = next(before)
      if (topics === before) return
      const at = clock.now()
      await replaceTopics(tx, repo.id, topics, at)
      await events.append(
        tx,
        'repo.topics_changed',
        { actor, repoId: repo.id, at },
        { repo_id: repo.id, topics: [...topics] },
      )
    })
  return {
    list: (repo, paging) => pageOf(repo.topics, paging),

    async replace(actor, repo, sent) {
      const topics = normaliseTopics(sent)
      if (topics.length > MAX_TOPICS) throw refused('Exceeding maximum number of topics per repo', null)
      const malformed = topics.filter((topic) => !isTopic(topic))
      if (malformed.length > 0) throw refused('Topic names are invalid', malformed)
      await change(actor, repo, () => topics)
    },

    async add(actor, repo, sent) {
      const topic = requireTopic(sent)
      await change(actor, repo, (before) => {
        if (before.includes(topic)) return before
        if (before.length >= MAX_TOPICS)
          throw new DomainError('invalid', 'Exceeding maximum allowed topics per repo.', { url: undefined })
        return [...before, topic]
      })
    },

    async delete(actor, repo, sent) {
      const topic = requireTopic(sent)
      await change(actor, repo, (before) => {
        if (!before.includes(topic)) throw notFound('the repository does not have the topic')
        return before.filter((name) => name !== topic)
      })
    },

    search: (text, paging) => searchTopics(database.read, normaliseTopic(text), paging),
  }
}

function requireTopic(sent: string): string {
  const topic = normaliseTopic(sent)
  if (!isTopic(topic)) throw refused('Topic name is invalid', topic)
  return topic
}

/**
 * COMPAT: these answers have `invalidTopics` and no `url` (behaviour/repositories#topics-languages-licences;
 * test/api/social/topics.test.ts).
 */
function refused(message: string, invalidTopics: readonly string[] | string | null): DomainError {
  return new DomainError('invalid', message, { invalidTopics, url: undefined })
}
