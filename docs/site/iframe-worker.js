// Search runs in a Worker, which browsers refuse to a page that was opened from the disk. There, a hidden frame takes its place.
// It is called "iframe-worker" because Zensical otherwise adds a script of that name from another host.
if (location.protocol === "file:") {
  // As between a page and a Worker: a copy, and never before the one who sends is done.
  const later = (data, receive) => {
    const copy = structuredClone(data);
    setTimeout(() => receive(copy), 0);
  };

  window.Worker = class {
    constructor(url) {
      const frame = document.createElement("iframe");
      frame.hidden = true;
      document.body.append(frame);
      const inside = frame.contentWindow;
      inside.postMessage = (data) => later(data, (copy) => this.onmessage?.(new MessageEvent("message", { data: copy })));
      const script = inside.document.createElement("script");
      script.src = new URL(url, location.href).href;
      this.frame = frame;
      this.ready = new Promise((resolve) => script.addEventListener("load", () => resolve(inside)));
      inside.document.body.append(script);
    }

    postMessage(data) {
      this.ready.then((inside) => later(data, (copy) => inside.dispatchEvent(new inside.MessageEvent("message", { data: copy }))));
    }

    terminate() {
      this.frame.remove();
    }
  };
}
