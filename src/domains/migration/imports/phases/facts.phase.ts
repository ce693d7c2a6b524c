import type { Clock } from '../../../../core/platform/clock.ts'
import { isOutgoingError } from '../../../../core/platform/outgoing/index.ts'
import { repoQueries, topicQueries, topicRules } from '../../../repositories/index.ts'
import { ForgeError } from '../forge-error.ts'
import type { ImportPhase, PhaseContext } from '../phase.ts'
import type { SourceFacts } from '../source.ts'
import { cleanText } from './clean-values.ts'

const MAX_DESCRIPTION = 2048
const MAX_WEBSITE = 1024
const DONE = 'done'

export const ARCHIVED_WARNING = 'the new repository is archived, as at the source'

/**
 * Imports description (unless the request contains one), website and topics. They are not requested explicitly: if the
 * request selects nothing else of the API, a service that does not respond causes a warning, not a failure. The copy of
 * an archived repository is archived.
 */
export const factsPhase = ({ clock }: { readonly clock: Clock }): ImportPhase => ({
  name: 'facts',
  isWanted: () => true,
  async *steps(context, cursor) {
    if (cursor === DONE) return
    const facts = await readFacts(context)
    if (facts === undefined) return
    const topics = topicRules.normalise(facts.topics).filter(topicRules.isTopic).slice(0, topicRules.maxTopics)
    if (facts.isArchived) context.warn(ARCHIVED_WARNING)
    yield {
      cursor: DONE,
      count: 1,
      async write(tx) {
        const repo = await repoQueries.findById(tx, context.repoId)
        await repoQueries.setDescription(tx, context.repoId, {
          website: cleanText(facts.website).slice(0, MAX_WEBSITE),
          description: repo?.description === '' ? cleanText(facts.description).slice(0, MAX_DESCRIPTION) : undefined,
        })
        if (facts.isArchived) await repoQueries.archive(tx, context.repoId, clock.now())
        if (topics.length > 0) await topicQueries.replace(tx, context.repoId, topics, clock.now())
      },
    }
  },
})

/** NOTE: a list that the service lacks is empty, so nothing would be imported of a repository that it does not show. */
async function readFacts({ source, signal, request, warn }: PhaseContext): Promise<SourceFacts | undefined> {
  try {
    return await source.facts(signal)
  } catch (error) {
    if ((!(error instanceof ForgeError) && !isOutgoingError(error)) || request.parts.size > 0) throw error
    warn(`description, website and topics were not imported: ${error.message}`)
    return undefined
  }
}
