import { setFlagsFromString } from 'node:v8'

/** Ends what `ingot.js` began for the time of loading: from now on speed goes before memory, and the young generation grows. */
export function favourSpeed(): void {
  setFlagsFromString('--semi-space-growth-factor=2')
  setFlagsFromString('--no-optimize-for-size')
}
