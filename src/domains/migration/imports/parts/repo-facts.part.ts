import type { Clock } from '../../../../core/platform/clock.ts'
import { isOutgoingError } from '../../../../core/platform/outgoing/index.ts'
import { topicRules, topicQueries, repoQueries } from '../../../repositories/index.ts'
import type { ImportPart } from '../read-request.ts'
import { ForgeError } from '../forge-error.ts'
import type { Source } from '../source.ts'

const MAX_DESCRIPTION = 2048
const MAX_WEBSITE = 1024

/**
 * Imports description (unless the request contains one), website and topics. They are not requested explicitly, so a
 * service that does not respond causes a warning, not a failure.
 */
export function repoFactsPart(
  source: Source,
  { clock, description }: { readonly clock: Clock; readonly description: string | undefined },
): ImportPart {
  return async ({ signal, warn }) => {
    try {
      const facts = await source.facts(signal)
      const topics = topicRules.normalise(facts.topics).filter(topicRules.isTopic).slice(0, topicRules.maxTopics)
      return async (tx, repoId) => {
        await repoQueries.setDescription(tx, repoId, {
          website: facts.website.slice(0, MAX_WEBSITE),
          description: description ? undefined : facts.description.slice(0, MAX_DESCRIPTION),
        })
        if (topics.length > 0) await topicQueries.replace(tx, repoId, topics, clock.now())
      }
    } catch (error) {
      if (!(error instanceof ForgeError) && !isOutgoingError(error)) throw error
      warn(`description, website and topics were not imported: ${error.message}`)
      return async () => {}
    }
  }
}
