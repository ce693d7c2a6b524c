import type { Core } from '../../../core/module.ts'
import type { Actor } from '../../../core/access/viewer.ts'
import { DomainError, notFound } from '../../../core/platform/errors.ts'
import { errors } from '../../errors.ts'
import { type Page, pageOf, type Paging } from '../../../core/platform/paging.ts'
import type { Repo } from '../repos/repo.store.ts'
import { lockTopicsOf, replaceTopics, searchTopics, type Topic } from './topic.store.ts'
import { isTopic, MAX_TOPICS, normaliseTopic, normaliseTopics } from './topics.policy.ts'

type TopicDeps = Pick<Core, 'database' | 'clock' | 'events'>

export type Topics = ReturnType<typeof createTopics>

/** Topics of repositories (behaviour/repositories#topics-languages-licences). */
export function createTopics({ database, clock, events }: TopicDeps) {
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
    /** Topics ordered by name. */
    list: (repo: Repo, paging: Paging): Page<string> => pageOf(repo.topics, paging),

    /** Throws Invalid with the member `invalidTopics`. */
    async replace(actor: Actor, repo: Repo, sent: readonly string[]): Promise<void> {
      const topics = normaliseTopics(sent)
      if (topics.length > MAX_TOPICS) throw refused('Exceeding maximum number of topics per repo', null)
      const malformed = topics.filter((topic) => !isTopic(topic))
      if (malformed.length > 0) throw refused('Topic names are invalid', malformed)
      await change(actor, repo, () => topics)
    },

    /** Does nothing if the repository has the topic. Throws Invalid with the member `invalidTopics`. */
    async add(actor: Actor, repo: Repo, sent: string): Promise<void> {
      const topic = requireTopic(sent)
      await change(actor, repo, (before) => {
        if (before.includes(topic)) return before
        if (before.length >= MAX_TOPICS) throw errors.tooManyTopics().with({ url: undefined })
        return [...before, topic]
      })
    },

    /** Throws NotFound if the repository does not have the topic, Invalid for a malformed one. */
    async delete(actor: Actor, repo: Repo, sent: string): Promise<void> {
      const topic = requireTopic(sent)
      await change(actor, repo, (before) => {
        if (!before.includes(topic)) throw notFound('the repository does not have the topic')
        return before.filter((name) => name !== topic)
      })
    },

    /** Most used first. */
    search: (text: string, paging: Paging): Promise<Page<Topic>> =>
      searchTopics(database.read, normaliseTopic(text), paging),
  }
}

function requireTopic(sent: string): string {
  const topic = normaliseTopic(sent)
  if (!isTopic(topic)) throw refused('Topic name is invalid', topic)
  return topic
}

/**
 * COMPAT: these responses have `invalidTopics` and no `url` (behaviour/repositories#topics-languages-licences;
 * test/repositories/topics.test.ts).
 */
function refused(message: string, invalidTopics: readonly string[] | string | null): DomainError {
  return new DomainError('invalid', message, { invalidTopics, url: undefined })
}
