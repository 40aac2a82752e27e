from netsim.workload.dma.tool import Dma

__all__ = ["Dma"]
