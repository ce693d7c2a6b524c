/**
 * Calendar version with the compatibility level as build metadata, so that every client's version gate passes
 * (behaviour/decisions#version-string).
 */
export const INGOT_VERSION = '26.11.0'
export const SERVER_VERSION = `${INGOT_VERSION}+gitea-1.27.0`

/** The version in the interface description (behaviour/base-interface#versioning). */
export const DESCRIPTION_VERSION = '1.1.1'

/** Whether version `a` was before `b`; both are numbers with dots between them. */
export function isOlderRelease(a: string, b: string): boolean {
  const [left, right] = [a, b].map((version) => version.split('.').map(Number)) as [number[], number[]]
  const at = right.findIndex((part, index) => part !== (left[index] ?? 0))
  return at !== -1 && (left[at] ?? 0) < right[at]!
}
