// What Vite, which transforms these tests, adds to each of their modules.

interface ImportMeta {
  glob(pattern: string): Record<string, () => Promise<unknown>>
}

declare module '*?raw' {
  const text: string
  export default text
}
