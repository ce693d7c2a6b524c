export const MAX_TOPICS = 25
const MAX_LENGTH = 35
const VALID = /^[a-z0-9][-.a-z0-9]*$/

/** Trimmed and in lower case. */
export const normaliseTopic = (topic: string): string => topic.trim().toLowerCase()

export const isTopic = (topic: string): boolean => topic.length <= MAX_LENGTH && VALID.test(topic)

/**
 * Normalised, without empty ones and duplicates, in the given order (behaviour/repositories#topics-languages-licences).
 */
export function normaliseTopics(topics: readonly string[]): string[] {
  return [...new Set(topics.map(normaliseTopic))].filter((topic) => topic !== '')
}

/** The rules for topics of a repository. */
export const topicRules = {
  maxTopics: MAX_TOPICS,
  isTopic,
  normalise: normaliseTopics,
} as const
