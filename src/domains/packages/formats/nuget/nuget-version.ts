import semver from 'semver'

const VERSION = /^(?<numbers>\d{1,10}(?:\.\d{1,10}){0,3})(?:-(?<pre>[\da-z-]+(?:\.[\da-z-]+)*))?(?:\+[\da-z.-]+)?$/i
const MAX_LENGTH = 64

/**
 * The normalized form of a version: three numbers, or four unless the last one is zero, without leading zeros and build
 * metadata (learn.microsoft.com, package versioning). Undefined for an invalid version.
 */
export function normalizeVersion(version: string): string | undefined {
  const { numbers, pre } = (version.length <= MAX_LENGTH && VERSION.exec(version)?.groups) || {}
  if (numbers === undefined) return undefined
  const [major = 0, minor = 0, patch = 0, revision = 0] = numbers.split('.').map(Number)
  return `${major}.${minor}.${patch}${revision === 0 ? '' : `.${revision}`}${pre === undefined ? '' : `-${pre}`}`
}

export const isPrerelease = (normalized: string): boolean => normalized.includes('-')

/** Compares two normalized versions. */
export function compareVersions(a: string, b: string): number {
  const [left, right] = [partsOf(a), partsOf(b)]
  for (let at = 0; at < 4; at++) {
    const difference = (left.numbers[at] ?? 0) - (right.numbers[at] ?? 0)
    if (difference !== 0) return difference
  }
  return semver.compare(`0.0.0${left.pre}`, `0.0.0${right.pre}`)
}

function partsOf(normalized: string) {
  const at = normalized.indexOf('-')
  const numbers = (at < 0 ? normalized : normalized.slice(0, at)).split('.').map(Number)
  // SemVer refuses numbers with leading zeros, which NuGet takes as numbers.
  const pre =
    at < 0
      ? ''
      : normalized
          .slice(at)
          .toLowerCase()
          .replaceAll(/(?<=[-.])0+(?=\d+(?:\.|$))/g, '')
  return { numbers, pre }
}
