"""Twilio's media streams: a call as they tell it to a bridge's WebSocket."""

from __future__ import annotations

import base64
import json

from websockets.asyncio.client import connect

from tests.support.speech import FRAME, silence, speech


async def calls(address, *, mind):
    """
    A call as Twilio's media streams tell it: that it is connected, which call it is, frames of 20 ms, its end.

    It has both tracks. What is said to the caller goes on after they spoke.
    """
    tracks = {"inbound": silence(0.5) + speech(1) + silence(2), "outbound": silence(1.5) + speech(2)}
    async with connect(address) as twilio:
        await twilio.send(json.dumps({"event": "connected", "protocol": "Call", "version": "1.0.0"}))
        start = {"callSid": "CA1", "streamSid": "MZ1", "customParameters": {"mind": mind}}
        await twilio.send(json.dumps({"event": "start", "streamSid": "MZ1", "start": start}))
        for at in range(0, len(tracks["inbound"]), FRAME):
            for track, sound in tracks.items():
                media = {"track": track, "payload": base64.b64encode(sound[at : at + FRAME]).decode()}
                await twilio.send(json.dumps({"event": "media", "media": media}))
        await twilio.send(json.dumps({"event": "stop"}))
        await twilio.wait_closed()
