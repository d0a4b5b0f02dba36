// What the scripts of the site's workers find around them.

declare module '*/pyodide.mjs' {
  export function loadPyodide(options: object): Promise<any>;
}

// The build writes these above the service worker.
declare const VERSION: string;
declare const FILES: Record<string, string>;
